import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

@MainActor
@Suite struct OwnedTests {
  @Test func `taking keeps the reference that was given`() {
    expectNoLeak { _ in Object(Owned(taking: UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped))) }
  }

  @Test func `borrowing adds a reference`() throws {
    let menu = UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped)
    let lifetime: Lifetime
    do {
      let borrowed = Object(Owned(borrowing: menu))
      lifetime = Lifetime(of: borrowed.raw)
    }
    #expect(!lifetime.isOver)
    g_object_unref(menu)
    #expect(lifetime.isOver)
  }

  @Test func `a reference from another thread is given back on the main one`() async {
    let lifetime: Lifetime
    var object: Object? = Object(Owned(taking: UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped)))
    lifetime = Lifetime(of: object.unsafelyUnwrapped.raw)
    let keeper = Task.detached { [owned = object.unsafelyUnwrapped.owned] in _ = owned }
    object = nil
    await keeper.value
    // The release was sent to the main actor before this.
    await Task { @MainActor in }.value
    #expect(lifetime.isOver)
  }
}
