import ClipHistory
import GtkKit
import SerialQueue

/// The history for the life of the process: its file, its list model, the user's actions, recording and retention.
///
/// The session does not need a window. The application and its windows call its methods, read its properties and listen
/// to its events. A clip is on disk before it is in the list.
@MainActor
final class HistorySession {
  enum State: Equatable {
    /// The history is not open yet, is locked by another program, or is being opened again; the list keeps its rows.
    case opening
    case recovering
    case unavailable(StoreError)
    /// The history is open; it cannot be changed while there is an obstacle.
    case open(obstacle: StoreError?)
  }

  /// What a session reports to its listeners; they read the new state from the session.
  enum Event {
    /// `state` or `isReading` has changed.
    case stateChanged
    /// The number of rows, `deletions` or `question` has changed.
    case contentChanged
    /// What is known to be on the clipboard may have changed; see `clipboardState`.
    case clipboardChanged
    /// An action on a clip is done; `isAnnounced` is false if another window announces it.
    case done(HistoryEvent, Clip.ID, isAnnounced: Bool)
    /// The newest row has the text that the user pasted or dropped.
    case added
    case failed(HistoryFailure)
    /// The whole text of a clip, for a window to show.
    case text(Clip, ClipText, file: Int)
  }

  /// How much the user sees of the history.
  enum Attention { case hidden, shown, active }

  private(set) var state = State.opening {
    didSet {
      scheduleRetry()
      guard state != oldValue else { return }
      if !isOpen { retention.question = nil }
      deletions.isHeld = state != .open(obstacle: nil)
      follow()
      events.notify(.stateChanged)
    }
  }
  let events = Observers<Event>()
  /// The clips, newest first.
  private(set) lazy var model = HistoryListModel(
    failed: weakly(self) { session, error in
      if session.isOpen { session.report(error, as: .notRead(error)) }
    })
  let deletions: RecentDeletions
  let services: AppServices
  let clipboard: any SystemClipboard
  private(set) lazy var retention = Retention(
    { [services] in services.preferences }, clock: services.clock
  ) { [events] in events.notify(.contentChanged) }

  // The extensions in this folder use the following members.

  /// Opened at its first use, because a program that starts hidden may not need the history.
  private(set) lazy var store = makeStore()
  /// Records texts that are copied elsewhere, pasted or dropped.
  private(set) lazy var intake = Intake(
    into: store, from: clipboard, after: queue, now: services.now, show: weakly(self) { $0.show($1) },
    clipboardChanged: weakly(self) { $0.events.notify(.clipboardChanged) })
  /// Runs the user's actions, the captures and attempts to open the history, in the order in which they are requested.
  let queue = TaskQueue()
  /// The number of the file that the list shows; in each file an id stands for another clip.
  private(set) var fileNumber = 0

  private let makeStore: @MainActor () -> HistoryStore
  private let willRecover: @MainActor () async -> Void
  private var tokens: [ListenerToken] = []
  private var settings: [ListenerToken] = []
  /// Whether `open` was called, even if the history could not be opened then.
  private var isOpenRequested = false
  private(set) var isStarted = false
  private var isReopening = false
  private(set) var isClosed = false
  private var retry: Timeout?

  /// The delay before the next attempt to open or write a locked history.
  private static let retryDelay = Duration.milliseconds(500)
  /// The delay before the next attempt to write to a full disk, which takes longer to change.
  private static let fullDiskDelay = Duration.seconds(3)

  nonisolated static let digest: HistoryStore.Digest = { key, text in
    Checksum.hmacSHA256(key: key, of: text.bytes)
  }

  /// - Parameters:
  ///   - clipboard: The clipboard to read from and to copy to.
  ///   - undoTime: How long deletions can be undone.
  ///   - store: Opens the store; tests shorten its timeouts.
  ///   - willRecover: Runs before each recovery; tests delay the recovery.
  init(
    _ services: AppServices, clipboard: any SystemClipboard, undoTime: Duration = .seconds(8),
    store: (@MainActor () -> HistoryStore)? = nil, willRecover: @escaping @MainActor () async -> Void = {}
  ) {
    self.services = services
    self.clipboard = clipboard
    deletions = RecentDeletions(heldFor: undoTime) { [events] _ in events.notify(.contentChanged) }
    self.willRecover = willRecover
    makeStore =
      store ?? { [location = services.location] in
        HistoryStore(at: location, digest: HistorySession.digest)
      }
    tokens = [services.pause.changes.add(weakly(self) { $0.follow() })]
    tokens.append(
      model.changes.add(weakly(self) { if $1.removed != $1.added { $0.events.notify(.contentChanged) } }))
  }

  /// The number of clips; 0 if the history is not open.
  var count: Int { isOpen ? model.count : 0 }

  var isOpen: Bool { if case .open = state { true } else { false } }

  /// Whether `clear` has something to delete: clips, or damaged files that recoveries have kept.
  var canClear: Bool { count > 0 || isOpen && services.location.hasQuarantine }

  /// Why the open history cannot be changed; nil if it can.
  var obstacle: StoreError? { if case .open(let obstacle) = state { obstacle } else { nil } }

  /// What is known to be on the clipboard, without reading it.
  var clipboardState: ClipboardState { isOpenRequested ? intake.clipboardState : .unknown }

  /// The expired items about which the user has to decide, because the clock may be wrong.
  var question: ExpiredClips? { retention.question }

  /// The result of a recovery, until a window has shown it.
  var recovery: HistoryRecovery.Outcome?

  /// Whether the clipboard is followed and copies in other programs are recorded.
  var isReading: Bool { isOpenRequested && intake.isFollowing }

  /// How much the user sees of the history; the clipboard is read only while this is `.active`.
  var attention = Attention.hidden {
    didSet {
      guard attention != oldValue else { return }
      follow()
      scheduleRetry()
      if attention == .active { tryAgain() }
      if attention == .hidden {
        retention.timer = nil
      } else if attention == .active || oldValue == .hidden {
        expire()
      }
    }
  }

  private func follow() {
    guard isOpenRequested else { return }
    let wasReading = isReading
    intake.conditions = Intake.Conditions(
      isShown: attention != .hidden, isActive: attention == .active && !isClosed,
      isPaused: services.pause.isPaused, isOpen: isOpen)
    if isReading != wasReading { events.notify(.stateChanged) }
  }

  // MARK: - The file

  /// Opens the history, unless that was done before.
  ///
  /// - Parameters:
  ///   - firstPageSize: How many clips to read first, see `HistoryListModel`.
  ///   - mayRecover: Whether to recover a damaged history; if not, the next call does.
  func open(firstPageSize: Int = 16, mayRecover: Bool = true) {
    guard !isOpenRequested else { return }
    isOpenRequested = true
    do throws(StoreError) {
      let access = store.initialAccess
      if case .unavailable(let error) = access { throw error }
      try model.open(reader(), firstPageSize: firstPageSize)
      state = .open(obstacle: access.obstacle)
      // A window listens only after this call.
      if store.wasReplaced { queue.add { [events] in events.notify(.failed(.notRead(.replaced))) } }
    } catch .damaged where !mayRecover {
      isOpenRequested = false
    } catch {
      cannotOpen(because: error)
    }
  }

  /// Whether the settings, which limit what is recorded, were read.
  var followsSettings: Bool { !settings.isEmpty }

  /// Reads and follows the settings; the first frame does not wait for this.
  func followSettings() {
    guard !followsSettings else { return }
    let preferences = services.preferences
    settings = [
      preferences.observe(.sizeLimit, weakly(self) { $0.setSizeLimit() }),
      preferences.observe(.retentionPeriod, weakly(self) { $0.expire() }),
    ]
    setSizeLimit()
  }

  /// Does what can wait until the window is drawn: loads the rest of the list and looks for expired items.
  func start() {
    followSettings()
    isStarted = true
    expire()
  }

  private func setSizeLimit() { intake.sizeLimit = services.preferences.sizeLimitInMiB << 20 }

  private func cannotOpen(because error: StoreError, mayRecover: Bool = true) {
    switch error {
    case .damaged where mayRecover: recover()
    case .locked: state = .opening
    default:
      if state != .unavailable(error) { printError(error.message) }
      state = .unavailable(error)
    }
  }

  /// Opens the history again, because its file is damaged or was replaced.
  ///
  /// - Parameter failure: The action that has failed; nil to report only the state of the file.
  func reopen(because error: StoreError, as failure: HistoryFailure? = nil) {
    guard isOpenRequested, !isClosed else { return }
    var failure = failure
    if !isReopening {
      if error == .replaced, failure == nil { failure = .notRead(error) }
      state = .opening
      openAgain { [store] in await store.reopen(isDamaged: error != .replaced) }
    }
    // Show the failure once the history is open.
    if let failure { queue.add { [events] in events.notify(.failed(failure)) } }
  }

  /// Tries again to open the history or to write it, if that was impossible.
  func tryAgain() {
    guard isOpenRequested, !isReopening, !isClosed else { return }
    if isOpen, model.isReplaced { return reopen(because: .replaced) }
    if state != .recovering, state != .open(obstacle: nil) { openAgain { [store] in await store.open() } }
  }

  private func openAgain(_ open: @escaping @MainActor () async -> HistoryStore.Access) {
    isReopening = true
    queue.add { [self] in
      await enter(await open())
      isReopening = false
    }
  }

  /// Applies the result of opening: opens or updates the list, sets `state`, and resumes the captures.
  private func enter(_ access: HistoryStore.Access, mayRecover: Bool = true) async {
    let wasReadOnly = obstacle != nil
    // Texts that are queued before the recovery wait for it.
    if access == .unavailable(.damaged), mayRecover { await store.release(because: .locked) }
    do throws(StoreError) {
      if case .unavailable(let error) = access { throw error }
      if !model.isOpen {
        try model.open(reader(await store.salvagedRows), firstPageSize: 16)
        reportUnread()
      } else if !isOpen || model.isReplaced || wasReadOnly && access == .readWrite {
        try await updateModel()
      }
      state = .open(obstacle: access.obstacle)
      expire()
    } catch {
      guard error != .replaced else { return await enter(await store.reopen()) }
      cannotOpen(because: error, mayRecover: mayRecover)
    }
    if state != .recovering { intake.captures.resume() }
  }

  /// Reads the list of clips again, because the file was opened or replaced, or another program may have changed it.
  private func updateModel() async throws(StoreError) {
    // First add to the list the clips that are on disk but not in the list yet.
    intake.flush()
    let isOther = model.isReplaced
    let ids = try await store.ids(olderThan: .max)
    let reader = try reader(await store.salvagedRows)
    guard isOther else {
      try model.merge(reader, ids)
      return reportUnread()
    }
    fileNumber += 1
    deletions.forget()
    retention.question = nil
    intake.forgetClips()
    try model.replace(with: reader, ids)
    reportUnread()
  }

  /// - Parameter rows: What is readable of a damaged history that cannot be recovered.
  private func reader(_ rows: SalvagedRows? = nil) throws(StoreError) -> HistoryReader {
    try HistoryReader(location: services.location, rows: rows)
  }

  private func reportUnread() { if model.isIncomplete { events.notify(.failed(.unread)) } }

  /// Recovers the damaged history off the main thread, because this may take several seconds.
  private func recover() {
    state = .recovering
    queue.add { [self] in
      model.close()
      await store.release(because: .damaged)
      await willRecover()
      do throws(StoreError) {
        recovery = try await HistoryRecovery().recover(services.location) ?? recovery
        await enter(await store.open(), mayRecover: false)
      } catch .locked {
        // Another program has the history open, usually for a moment. Release again, so that texts wait for the lock.
        await store.release(because: .locked)
        await enter(.unavailable(.locked))
      } catch {
        // Show what is readable of the damaged history, or why nothing is.
        await enter(await store.open(after: error), mayRecover: false)
      }
    }
  }

  /// Tries again after a delay, while another program locks the history or the disk is full, and a window shows it or a
  /// text waits.
  private func scheduleRetry() {
    guard isOpenRequested, state == .opening || obstacle == .locked || obstacle == .diskFull,
      attention != .hidden || intake.captures.isWaiting
    else { return retry = nil }
    guard retry == nil else { return }
    retry = Timeout(
      after: obstacle == .diskFull ? Self.fullDiskDelay : Self.retryDelay,
      weakly(self) {
        $0.retry = nil
        $0.tryAgain()
      })
  }

  /// Adds the clips that are older than the first page to the list, after the first page was shown.
  func loadRest() async {
    guard isOpen, let oldest = model.oldestOfFirstPage else { return }
    let number = fileNumber
    do throws(StoreError) {
      let older = try await store.ids(olderThan: oldest)
      guard number == fileNumber else { return }
      model.addOlder(older)
      reportUnread()
    } catch {
      report(error, as: .notRead(error))
    }
  }

  // MARK: - Failures

  /// Opens the history again if that solves the problem; shows the failure otherwise.
  func report(_ error: StoreError, as failure: HistoryFailure) {
    switch error {
    case .damaged, .cannotBeRecovered, .replaced:
      switch failure {
      case .gone, .notDeleted, .notRestored, .notCleared, .notRecorded(.failed):
        reopen(because: error, as: failure)
      default: reopen(because: error)
      }
    case .locked, .diskFull, .readOnly:
      if isOpen, failure.concernsWriting { state = .open(obstacle: error) }
      events.notify(.failed(failure))
    default: events.notify(.failed(failure))
    }
  }

  /// Tries again later to write what this error holds up, without showing the failure.
  func retry(after error: StoreError) {
    if isOpen { state = .open(obstacle: error) } else { scheduleRetry() }
  }

  /// Call this after a change of the history, which shows that an obstacle no longer exists.
  func didWrite() { if obstacle != nil { tryAgain() } }

  // MARK: - The end

  /// How long the end waits for other programs: for a text that is being read, or for the end of a lock.
  private static let endPatience = Duration.milliseconds(500)
  /// How long the end waits for the disk: for the user's actions, expired items, and a recovery.
  private static let diskPatience = Duration.milliseconds(1000)
  /// How long the end waits for the X server, and for a clipboard manager.
  private static let handOverPatience = Duration.milliseconds(1000)

  /// Waits for the user's actions and the captures so far, but not for reads in progress.
  func drainActions() async { await queue.drain() }

  /// Waits until all captures and requests so far are on disk, however long another program locks the history.
  func drain() async {
    guard isOpenRequested else { return }
    await intake.drain()
    await queue.drain()
  }

  /// Waits until all requested deletions of expired items have ended.
  func drainRetention() async { await retention.queue.drain() }

  /// Finishes the work that is left within a time limit, hands the clipboard over, and closes the file.
  func end() async {
    attention = .hidden
    // Do not wait for a program that does not send its text.
    if isOpenRequested { intake.endUnansweredReads() }
    await MainLoop.wait(atMost: Self.endPatience) { [self] in await drain() }
    // A copy may have waited for the read of another program's text.
    await MainLoop.wait(atMost: Self.diskPatience) { [self] in
      await drainActions()
      await drainRetention()
    }
    // The X server does not answer while another program has grabbed it.
    await MainLoop.wait(atMost: Self.handOverPatience) { [clipboard] in await clipboard.handOver() }
    await close()
  }

  /// Stops reading the clipboard permanently, does the work that is left, reports copies that are lost, and closes the
  /// file.
  func close() async {
    guard isOpenRequested else { return }
    isClosed = true
    follow()
    intake.endReading()
    // The damaged history is unchanged until the recovered one is complete, so the next start recovers it again.
    guard state != .recovering else { return HistoryRecovery.abandon(services.location) }
    await queue.drain()
    let lost = await intake.captures.close()
    if lost > 0, let obstacle = intake.captures.obstacle ?? obstacle {
      let message = trn("%s copy was not recorded.", "%s copies were not recorded.", lost)
      printError(message.filled(with: Format.number(lost)) + " " + obstacle.message)
    }
    // Close the reader first: the last connection to close checkpoints the write-ahead log, which a reader cannot do.
    model.close()
    await store.close()
  }
}
