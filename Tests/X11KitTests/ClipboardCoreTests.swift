import ClipboardCore
import Glibc
import TestSupport
import Testing

/// The lock that decides whether a request may be sent.
@Suite(.tags(.readsOnlyWhileActive)) struct PermitTests {
  @Test func `a permit allows requests only while it is granted, and each grant has a number of its own`() {
    let permit = ReadPermit()
    #expect(permit.current == nil && !permit.request {})
    permit.grant()
    let first = permit.current
    permit.grant()
    #expect(first != nil && permit.current == first)
    var isSent = false
    #expect(permit.request { isSent = true } && isSent)
    permit.revoke()
    #expect(permit.current == nil && !permit.request {})
    permit.grant()
    #expect(permit.current != nil && permit.current != first)
  }
}

/// What reads on X11 and on Wayland have in common: the hint, the text formats in turn, and their limits.
@Suite(.tags(.survivesOthers, .skipsSecrets)) struct ClipboardOfferTests {
  typealias Answer = Result<String, TransferError>

  /// The answers to requests for the text formats, the outcome, and how many formats are requested.
  private static let texts: [(answers: [Answer], outcome: Outcome, asked: Int)] = [
    ([], .content(.noText), 0),
    ([.success("text"), .failure(.refused)], .text("text"), 1),
    ([.failure(.refused), .success("text"), .success("other")], .text("text"), 2),
    ([.success(""), .success("text")], .text("text"), 2),
    ([.failure(.timedOut), .success("text")], .text("text"), 2),
    ([.failure(.refused), .success(""), .success("text")], .text("text"), 3),
    ([.failure(.refused), .success(""), .failure(.refused)], .failure(.refused), 3),
    ([.success(""), .success("")], .text(""), 2),
    ([.failure(.timedOut), .failure(.refused), .success("")], .failure(.timedOut), 3),
    ([.failure(.ownerGone), .success("text")], .failure(.ownerGone), 1),
    ([.failure(.refused), .failure(.cancelled), .success("text")], .failure(.cancelled), 2),
    ([.failure(.tooLarge(limit: 1)), .success("text")], .failure(.tooLarge(limit: 1)), 1),
  ]

  @Test(.tags(.requestsEveryForm), arguments: texts)
  func `text formats are requested in turn until the owner serves one`(
    answers: [Answer], outcome: Outcome, asked: Int
  ) async {
    let offer = FakeOffer(answers)
    #expect(await offer.outcome() == outcome)
    #expect(offer.requests == (0..<asked).map { offer.format($0) })
  }

  /// The answers to a request for the hint, and whether the text is then a secret.
  private static let hints: [(Answer, Outcome)] = [
    (.success("secret"), .content(.secret)), (.success("secret\n\0"), .content(.secret)),
    (.success(""), .content(.secret)), (.failure(.refused), .content(.secret)),
    (.success("public"), .text("text")), (.success("a secret"), .text("text")),
    (.failure(.tooLarge(limit: SecretHint.longestValue)), .text("text")),
    (.failure(.timedOut), .failure(.timedOut)), (.failure(.cancelled), .failure(.cancelled)),
  ]

  @Test(arguments: hints) func `a text is requested only if its hint was read and does not mark a secret`(
    hint: Answer, outcome: Outcome
  ) async {
    let offer = FakeOffer([.success("text")], hint: hint)
    #expect(await offer.outcome() == outcome)
    #expect(offer.requests == (outcome == .text("text") ? [.hint, offer.format(0)] : [.hint]))
  }

  @Test func `once a text format is not answered, the remaining formats share one more time limit`() async {
    let offer = FakeOffer(Array(repeating: .failure(.timedOut), count: 6))
    #expect(await offer.outcome(within: TransferLimits(idleTimeout: .seconds(5))) == .failure(.timedOut))
    #expect(offer.limits.map(\.idleTimeout) == [.seconds(5)] + Array(repeating: .seconds(1), count: 5))
  }

  @Test func `all text formats together have one time limit`() async {
    let offer = FakeOffer(Array(repeating: .failure(.refused), count: 3), delay: 5_000)
    #expect(await offer.outcome(within: TransferLimits(total: .seconds(60))) == .failure(.refused))
    for (earlier, later) in zip(offer.limits, offer.limits.dropFirst()) {
      #expect(later.total <= earlier.total - .milliseconds(5))
    }
  }
}

/// An owner with an answer for each format.
private final class FakeOffer: ClipboardOffer {
  private let answers: [ClipboardOfferTests.Answer]
  private let hint: ClipboardOfferTests.Answer?
  private let delay: UInt32
  private(set) var requests: [RequestedFormat] = []
  private(set) var limits: [TransferLimits] = []

  /// - Parameter delay: how long each answer takes, in microseconds.
  init(
    _ answers: [ClipboardOfferTests.Answer], hint: ClipboardOfferTests.Answer? = nil, delay: UInt32 = 0
  ) {
    (self.answers, self.hint, self.delay) = (answers, hint, delay)
  }

  func format(_ number: Int) -> RequestedFormat {
    .text(TextFormat.allCases[number], isLast: number == answers.count - 1)
  }

  func outcome(within limits: TransferLimits = TransferLimits()) async -> Outcome {
    do {
      return .content(try await content(within: limits))
    } catch {
      return .failure(error)
    }
  }

  nonisolated(nonsending) func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    (Array(TextFormat.allCases.prefix(answers.count)), hint != nil)
  }

  nonisolated(nonsending) func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    requests.append(format)
    self.limits.append(limits)
    usleep(delay)
    if format == .hint, let hint { return Array(try hint.get().utf8) }
    let number = answers.indices.first { self.format($0) == format }
    return Array(try (number.map { answers[$0] } ?? .failure(.unavailable)).get().utf8)
  }
}
