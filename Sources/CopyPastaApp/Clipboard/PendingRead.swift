import ClipboardCore
import GtkKit
import Synchronization

/// A read of the clipboard that has requests left to send; a copy from the history waits briefly for it.
///
/// A click on a row of an inactive window copies the row and activates the window, which then reads what was copied
/// before. If the row's text took the clipboard first, the earlier text would be lost, because only the selection owner
/// can deliver it.
final class PendingRead: Sendable {
  /// How long a copy from the history waits for a pending read to send its last request.
  ///
  /// The other program first lists its formats, and may then refuse some, which usually takes a few milliseconds. A
  /// read in progress may delay this for longer.
  private let limit: Duration

  private struct State {
    var isPending = false
    /// Whether a copy stopped waiting and took the clipboard before the last request was sent.
    var isMissed = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// Whether a read has begun and was not delivered yet, and what runs after its delivery.
  private struct Progress {
    var isReading = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let progress = Mutex(Progress())

  init(limit: Duration = .milliseconds(200)) { self.limit = limit }

  var isPending: Bool { state.withLock(\.isPending) }

  func begin() { state.withLock { $0.isPending = true } }

  /// Marks the last request as sent, or as no longer needed, and resumes the copies that wait for it.
  ///
  /// - Returns: Whether a copy took the clipboard before the last request was sent.
  @discardableResult
  func end() -> Bool {
    let ended = state.withLock { state in
      defer { state = State() }
      return state
    }
    ended.waiters.forEach { $0.resume() }
    return ended.isMissed
  }

  /// Lets the waiting copies take the clipboard before the last request, unless it has just been sent.
  private func miss() {
    let waiters = state.withLock { state in
      guard state.isPending else { return [CheckedContinuation<Void, Never>]() }
      defer { state = State(isMissed: true) }
      return state.waiters
    }
    waiters.forEach { $0.resume() }
  }

  /// Grants or revokes a permit, and so starts or ends a pending read.
  ///
  /// - Returns: Whether the permit has changed.
  func follow(_ isFollowing: Bool, _ permit: ReadPermit) -> Bool {
    let before = permit.current
    if isFollowing { permit.grant() } else { permit.revoke() }
    guard permit.current != before else { return false }
    if isFollowing { begin() } else { end() }
    return true
  }

  /// Whether a read is in progress, or was not delivered yet.
  var isReading: Bool { progress.withLock(\.isReading) }

  /// Reads an offer and delivers it, and then runs what waits for the delivery.
  nonisolated(nonsending) func deliver(
    to deliver: (ClipboardDelivery) -> Void, under permit: ReadPermit,
    of read: nonisolated(nonsending) () async throws(TransferError) -> ClipboardContent
  ) async {
    progress.withLock { $0.isReading = true }
    deliver(await delivery(under: permit, of: read))
    let waiting = progress.withLock { progress in
      defer { progress = Progress() }
      return progress.waiting
    }
    waiting.forEach { $0() }
  }

  /// Runs `body` when the read in progress has been delivered; immediately if no read is in progress.
  func afterRead(_ body: @escaping @Sendable () -> Void) {
    let isReading = progress.withLock {
      if $0.isReading { $0.waiting.append(body) }
      return $0.isReading
    }
    if !isReading { body() }
  }

  /// Reads an offer, and returns what to deliver.
  nonisolated(nonsending) func delivery(
    under permit: ReadPermit,
    of read: nonisolated(nonsending) () async throws(TransferError) -> ClipboardContent
  ) async -> ClipboardDelivery {
    begin()
    do throws(TransferError) {
      let content = try await read()
      // This read stopped being pending with its request, so a read that is pending now belongs to a newer offer.
      if case .text = content, permit.current != nil { return .success(content) }
      if end(), content == .own { throw .ownershipLost }
      return .success(content)
    } catch {
      // If only this read was cancelled, stay pending until the next read sends its last request.
      if error != .cancelled || permit.current == nil { end() }
      return .failure(error)
    }
  }

  /// Waits until the last request has been sent, but at most for `limit`, because the user is waiting.
  @MainActor func wait() async {
    // After the timeout the read no longer counts as pending, so the next copy does not wait for it again.
    let timeout = Timeout(after: limit, weakly(self) { $0.miss() })
    await withCheckedContinuation { waiter in
      let isPending = state.withLock {
        if $0.isPending { $0.waiters.append(waiter) }
        return $0.isPending
      }
      if !isPending { waiter.resume() }
    }
    timeout.cancel()
  }
}
