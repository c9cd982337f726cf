import ClipboardCore
import GtkKit
import TestSupport
import Testing

@testable import ClipHistory
@testable import CopyPastaApp

/// A random walk of what users and other programs do, compared with a model of the history and the clipboard.
@MainActor
@Suite(.serialized) struct CaptureModelTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a random walk of copies, pastes, pauses and activations leaves the rows that a model expects`(
    seed: UInt64
  ) async throws {
    let walk = try await Walk(seed: seed)
    for _ in 1...200 { try await walk.step() }
    await walk.session.close()
  }
}

@MainActor
private final class Walk {
  private enum Content: Equatable { case nothing, secret, other(String), own(String) }

  /// A row; the numbers increase.
  private struct Row {
    let number: Int
    let text: String
  }

  /// The rows, newest first, and the last captured text.
  private var rows: [Row] = []
  private var count = 0
  private var last: String?
  private var content = Content.nothing
  /// The text that was on the clipboard when a pause ended.
  private var paused: String?
  private var isPauseOver = false
  private var deleted: [Row] = []

  private let seed: UInt64
  private var random: SplitMix
  private var steps: [String] = []
  private let scratch: Scratch
  private let clipboard = FakeClipboard()
  let session: HistorySession
  private let log: SessionLog

  init(seed: UInt64) async throws {
    self.seed = seed
    random = SplitMix(seed: seed)
    scratch = try Scratch()
    clipboard.offers.content = .noText
    session = .make(at: scratch.location, clipboard)
    log = SessionLog(of: session)
  }

  private var isFollowing: Bool { session.attention == .active && !session.services.pause.isPaused }

  func step() async throws {
    let text = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: copy(.other(text))
    case 4: copy([.secret, .nothing].randomElement(using: &random) ?? .secret)
    case 5: attend(.active)
    case 6: attend(.shown)
    case 7: attend(.hidden)
    case 8: pause()
    case 9: paste()
    case 10: drop(text)
    case 11, 12: copyRow()
    case 13: delete()
    case 14: undo()
    default: attend(.active)
    }
    await session.drain()
    let walked = "seed \(seed): " + steps.joined(separator: ", ")
    let texts = rows.map(\.text)
    try #require(session.texts == texts, "\(walked)")
    try #require(try scratch.texts() == texts, "\(walked)")
    if !isOwn { try #require(session.clipboardState.clip == nil, "\(walked)") }
    if content == .secret, isFollowing { try #require(session.clipboardState == .secret, "\(walked)") }
    if content != .secret { try #require(session.clipboardState != .secret, "\(walked)") }
  }

  private var isOwn: Bool { if case .own = content { true } else { false } }

  // MARK: - The model

  /// What is on the clipboard is read: the next copy, or the content as the window becomes active or a pause ends.
  private func follow(isReconciling: Bool) {
    guard isFollowing else { return }
    guard case .other(let text) = content else {
      if isReconciling { (paused, isPauseOver) = (nil, isPauseOver && content == .secret) }
      return
    }
    if isReconciling, isPauseOver {
      (paused, isPauseOver) = (text, false)
      return
    }
    if isReconciling, paused == text { return }
    (paused, isPauseOver) = (nil, false)
    if text != last { record(text) }
    last = text
  }

  private func record(_ text: String) {
    guard rows.first?.text != text else { return }
    count += 1
    rows.insert(Row(number: count, text: text), at: 0)
  }

  // MARK: - The steps

  private func copy(_ new: Content) {
    steps.append("copy \(new)")
    content = new
    clipboard.lose()
    switch new {
    case .other(let text):
      clipboard.offers.resultOnPurpose = .success(.text(text))
      clipboard.offers.copy(.text(text))
    case .secret:
      clipboard.offers.resultOnPurpose = .success(.secret)
      clipboard.offers.copy(.secret)
    case .nothing, .own:
      clipboard.offers.resultOnPurpose = .success(.noText)
      clipboard.offers.copy(.noText)
    }
    follow(isReconciling: false)
  }

  private func attend(_ attention: HistorySession.Attention) {
    steps.append("\(attention)")
    let wasFollowing = isFollowing
    session.attention = attention
    if isFollowing, !wasFollowing { follow(isReconciling: true) }
  }

  private func pause() {
    let isPaused = !session.services.pause.isPaused
    steps.append(isPaused ? "pause" : "resume")
    if !isPaused { isPauseOver = true }
    session.services.pause.isPaused = isPaused
    if isFollowing { follow(isReconciling: true) }
  }

  private func paste() {
    steps.append("paste")
    switch content {
    case .own(let text), .other(let text):
      session.paste()
      record(text)
      last = text
    case .secret, .nothing: session.paste()
    }
  }

  private func drop(_ text: String) {
    steps.append("drop \(text)")
    session.record(FakeDrop(text))
    record(text)
  }

  private func copyRow() {
    guard let position = rows.indices.randomElement(using: &random) else { return }
    steps.append("copy row \(position)")
    session.copy(session.ids[position])
    (content, last) = (.own(rows[position].text), rows[position].text)
    (paused, isPauseOver) = (nil, false)
    clipboard.offers.content = .own
  }

  private func delete() {
    guard let position = rows.indices.randomElement(using: &random) else { return }
    steps.append("delete row \(position)")
    session.delete(session.ids[position])
    deleted.append(rows.remove(at: position))
  }

  private func undo() {
    guard let row = deleted.popLast() else { return }
    steps.append("undo")
    session.undo()
    rows.append(row)
    rows.sort { $0.number > $1.number }
  }
}
