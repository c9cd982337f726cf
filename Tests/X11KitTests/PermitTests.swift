import ClipboardCore
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
