import ClipboardCore
import Glibc
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

/// What reads on X11 and on Wayland have in common.
@Suite(.tags(.survivesOthers)) struct ClipboardOfferTests {
  @Test func `all text formats together have one time limit`() async {
    let offer = RefusingOffer()
    let limits = TransferLimits(total: .seconds(60))
    await #expect(throws: TransferError.refused) { try await offer.content(within: limits) }
    #expect(offer.totals.count == 3)
    for (earlier, later) in zip(offer.totals, offer.totals.dropFirst()) {
      #expect(later <= earlier - .milliseconds(5))
    }
  }
}

/// An owner that refuses every format after a moment.
private final class RefusingOffer: ClipboardOffer {
  /// The time that was left at each request.
  private(set) var totals: [Duration] = []

  nonisolated(nonsending) func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    ([.plainUTF8, .plain, .string], false)
  }

  nonisolated(nonsending) func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    totals.append(limits.total)
    usleep(5_000)
    throw .refused
  }
}
