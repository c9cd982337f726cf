import Testing

/// What CopyPasta promises its users: a suite or a test with one of these tags fails if the promise is broken.
extension Tag {
  /// While the window is active, every copy is recorded, once and whole.
  @Tag public static var recordsEveryCopy: Self

  /// Selection owners, requestors, trays, portals and buses that misbehave do no harm.
  @Tag public static var survivesOthers: Self

  /// A deleted text is in no file.
  @Tag public static var forgets: Self

  /// No text reaches a log, a crash report, a title or another user.
  @Tag public static var keepsPrivate: Self

  /// A damaged history is recovered, every readable row is shown, and no file makes the program crash or hang.
  @Tag public static var recovers: Self

  /// Nothing is deleted for its age without a yes, unless the clock is known to be right.
  @Tag public static var asksBeforeExpiry: Self

  /// The shortcut shows the window with the newest row focused, and keys typed then reach it.
  @Tag public static var popsUp: Self

  /// Everything works by keys, mouse, touch and screen reader, in every theme, size and language.
  @Tag public static var isAccessible: Self

  /// The list is as fast and as small at 1,000,000 rows as at 100.
  @Tag public static var scales: Self

  /// While the window is inactive or hidden, the clipboard's text is never requested.
  @Tag public static var readsOnlyWhileActive: Self

  /// Of an offer with several forms, only plain text is requested.
  @Tag public static var requestsOnlyText: Self

  /// A form that is refused, empty or mute is not the last that is requested.
  @Tag public static var requestsEveryForm: Self

  /// Empty text is not stored, and every other text byte for byte.
  @Tag public static var storesBytes: Self

  /// A text that equals the last captured one is not recorded again, also when its row has been deleted since.
  @Tag public static var recordsOnce: Self

  /// A row's copy adds no row, also if the history cannot be written at that moment.
  @Tag public static var recordsNoOwnCopy: Self

  /// A secret is never recorded, and its text never requested.
  @Tag public static var skipsSecrets: Self

  /// Nothing is requested during a pause, and what is on the clipboard at its end is not recorded by itself.
  @Tag public static var recordsNoPause: Self

  /// The indicator is true of this moment.
  @Tag public static var indicatorIsTrue: Self

  /// A paste is about the offer that was there at the press, and is tried once.
  @Tag public static var pastesWhatWasThere: Self

  /// A clip is not changed.
  @Tag public static var clipsStay: Self

  /// A capture that was shown is on disk.
  @Tag public static var isDurable: Self

  /// Items older than the retention period are deleted, and no others.
  @Tag public static var keepsAsLongAsSaid: Self

  /// An item is as old as its place in the list proves.
  @Tag public static var provesAges: Self

  /// A file that is put in the place of the history is shown, and left, as it is.
  @Tag public static var leavesReplacedFiles: Self

  /// The list, copying and exports go on while nothing can be written.
  @Tag public static var worksWithoutWriting: Self

  /// When writing becomes possible again, the user notices only that.
  @Tag public static var resumesQuietly: Self

  /// 480×640 pixels show at least 16 items with one line each.
  @Tag public static var showsSixteenItems: Self

  /// The item that CopyPasta offers on the clipboard has a sign.
  @Tag public static var marksClipboard: Self

  /// A line of 64 MiB costs no more than a word.
  @Tag public static var previewsAnySize: Self

  /// What is shown is what is copied.
  @Tag public static var showsWhatIsCopied: Self

  /// What is done is done to the row that was under the pointer at the press.
  @Tag public static var actsOnThePressedRow: Self

  /// A click, keys, the menu and a swipe copy a row.
  @Tag public static var copiesByEveryInput: Self

  /// A right click, keys and a long press open a row's menu.
  @Tag public static var opensMenuByEveryInput: Self

  /// A copy is as old as the press that asked for it.
  @Tag public static var copiesAsOfThePress: Self

  /// A copied text can still be pasted after the window is closed.
  @Tag public static var outlivesTheWindow: Self

  /// The window comes from another workspace, from behind others and from an icon.
  @Tag public static var comesFromAnywhere: Self

  /// A popup is drawn once.
  @Tag public static var drawsPopupOnce: Self

  /// A CopyPasta that is stopped or hangs takes no key from any other program.
  @Tag public static var takesNoKeys: Self

  /// A popup hides once an item is chosen, and when the user switches to another program.
  @Tag public static var hidesPopups: Self

  /// Nothing of the desktop's own is written unasked.
  @Tag public static var writesNothingUnasked: Self

  /// The program ends in time, also beside programs that hang, and frees its shortcut.
  @Tag public static var endsInTime: Self

  /// The window comes within half a second also if a portal or a tray host never answers.
  @Tag public static var opensBesideHangingServices: Self
}
