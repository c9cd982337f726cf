import ClipboardCore
import GtkKit

@testable import CopyPastaApp

/// A clipboard with contents set by the test, for cases that real clipboards do not produce on demand.
///
/// A read is answered when the test decides.
@MainActor
final class FakeClipboard: SystemClipboard {
  let changes = Observers<Bool>()

  /// - Parameter content: See `content`.
  init(_ content: ClipboardContent? = nil) { self.content = content }

  func close() { isFollowed = false }

  // MARK: - CopyPasta's own copies

  private(set) var offered: [String] = []
  /// The error that offering a text throws, if any.
  var failure: TransferError?
  var ownOffer: OwnOffer?

  func takePress() -> CopyPress { CopyPress(moment: 0) }
  func notePress(at time: UInt32) {}

  func setText(_ offer: OwnOffer, _ press: CopyPress) async throws(TransferError) {
    if let failure { throw failure }
    offered.append(String(decoding: offer.text.bytes, as: UTF8.self))
    ownOffer = offer
  }

  // MARK: - Other programs

  /// Whether a change of the owner is noticed while the clipboard is not followed.
  var isWatchable = false

  func watchNextChange() -> Bool { isWatchable }

  /// Simulates another program that takes the clipboard from CopyPasta.
  func lose() {
    ownOffer = nil
    changes.notify(true)
  }

  /// Simulates a copy in another program.
  func copy(_ content: ClipboardContent?) {
    self.content = content
    change(isTaken: true)
    hasNewOffer = true
    readOffers()
  }

  /// Simulates the end of the clipboard's owner, which leaves the clipboard empty.
  func change(isTaken: Bool = false) {
    offer += 1
    changes.notify(isTaken)
  }

  // MARK: - Followed reads

  /// The content that a read receives immediately; if nil, the read waits for `answer`.
  var content: ClipboardContent?
  /// The error that every read throws.
  var readFailure: TransferError?
  var deliver: @MainActor (ClipboardDelivery, _ offer: Int) -> Void = { _, _ in }
  var limits = TransferLimits()
  private(set) var reads = 0
  private(set) var offer = 0
  private(set) var isReading = false
  private var isFollowed = false
  private var hasNewOffer = false
  private var isBusy = false
  private var waiting: CheckedContinuation<ClipboardContent, Never>?
  private var afterRead: [@MainActor () -> Void] = []

  var isWaiting: Bool { waiting != nil }

  /// Completes the waiting read.
  func answer(_ content: ClipboardContent) { waiting.take()?.resume(returning: content) }

  func follow(_ isFollowing: Bool) {
    isFollowed = isFollowing
    hasNewOffer = isFollowing
    // X11 counts another offer each time following starts.
    if isFollowing, isWatchable { offer += 1 }
    readOffers()
  }

  func afterRead(_ body: @escaping @MainActor () -> Void) {
    if isReading { afterRead.append(body) } else { body() }
  }

  func endRevokedReads() {}
  func endUnansweredReads() {}

  private func readOffers() {
    guard !isBusy, isFollowed, hasNewOffer else { return }
    (isBusy, isReading) = (true, true)
    Task {
      while isFollowed, hasNewOffer {
        let offer = offer
        isReading = true
        do throws(TransferError) {
          deliver(.success(try await read()), offer)
        } catch {
          deliver(.failure(error), offer)
        }
        endReading()
      }
      endReading()
      isBusy = false
    }
  }

  private func endReading() {
    isReading = false
    let waiting = afterRead
    afterRead = []
    waiting.forEach { $0() }
  }

  private func read() async throws(TransferError) -> ClipboardContent {
    hasNewOffer = false
    reads += 1
    if let readFailure { throw readFailure }
    if let content { return content }
    return await withCheckedContinuation { waiting = $0 }
  }

  // MARK: - Pastes and drops

  /// The result of reading a pasted offer.
  var resultOnPurpose = Result<ClipboardContent, TransferError>.success(.noText)
  /// While this is true, reads of pasted offers wait.
  var stallsOnPurpose = false {
    didSet { if !stallsOnPurpose { stalled.take()?.resume() } }
  }
  private var stalled: CheckedContinuation<Void, Never>?
  /// The numbers of the offers that were read because they were pasted.
  private(set) var readsOnPurpose: [Int] = []

  func read(pasted offer: Int, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent {
    guard permit.current != nil, offer == self.offer else { throw .cancelled }
    readsOnPurpose.append(offer)
    if stallsOnPurpose { await withCheckedContinuation { stalled = $0 } }
    return try resultOnPurpose.get()
  }

  func read(_ drop: any DroppedText, under permit: ReadPermit) async throws(TransferError) -> ClipboardContent
  {
    guard let drop = drop as? FakeDrop else { throw .refused }
    return try await drop.content(within: limits)
  }
}

/// A drop whose text arrives when the test decides.
@MainActor
final class FakeDrop: DroppedText {
  let formats: [String] = []
  let time: UInt32 = 0
  /// The content; if nil, the read waits for `answer`.
  private var result: Result<ClipboardContent, TransferError>?
  private var waiting: CheckedContinuation<Void, Never>?
  /// Whether each drop was accepted, as reported to the other program.
  private(set) var answers: [Bool] = []

  init(_ result: Result<ClipboardContent, TransferError>?) { self.result = result }

  convenience init(_ text: String) { self.init(.success(.text(text))) }

  func content(within limits: TransferLimits) async throws(TransferError) -> ClipboardContent {
    if result == nil { await withCheckedContinuation { waiting = $0 } }
    let content = try (result ?? .failure(.refused)).get()
    guard case .text(let bytes) = content, bytes.count > limits.bytes else { return content }
    throw .tooLarge(limit: limits.bytes)
  }

  func answer(_ result: Result<ClipboardContent, TransferError>) {
    self.result = result
    waiting.take()?.resume()
  }

  func read(_ format: String, prepare: @MainActor () throws -> Void) async throws -> InputStream {
    throw TransferError.refused
  }

  func finish(accepted: Bool) { answers.append(accepted) }
}
