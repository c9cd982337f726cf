import Testing

/// What CopyPasta promises its users: a suite with one of these tags fails if the promise is broken.
extension Tag {
  /// The clipboard is read only while the window is active, and not while paused.
  @Tag static var readsOnlyWhileActive: Self

  /// A secret is neither requested nor stored.
  @Tag static var skipsSecrets: Self

  /// Every copy is recorded, once, byte for byte.
  @Tag static var recordsEveryCopy: Self

  /// Selection owners, requestors, trays, portals and buses that misbehave do no harm.
  @Tag static var survivesOthers: Self

  /// An item that was shown is on disk.
  @Tag static var isDurable: Self

  /// No text reaches a log, a crash report, a title or another user.
  @Tag static var keepsPrivate: Self

  /// The shortcut shows the window wherever it is, and keys typed then reach it.
  @Tag static var popsUp: Self

  /// What is done is done to the row that was pressed.
  @Tag static var actsOnThePressedRow: Self

  /// A copied text can be pasted after the window is closed.
  @Tag static var outlivesTheWindow: Self

  /// Everything works by keys, mouse, touch and screen reader, in every theme, size and language.
  @Tag static var isAccessible: Self

  /// The list is as fast at 1,000,000 rows as at 100.
  @Tag static var scales: Self
}
