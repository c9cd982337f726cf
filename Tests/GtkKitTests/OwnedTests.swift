import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

@MainActor
@Suite struct OwnedTests {
  @Test func `taking ownership of an object adds no reference`() {
    expectNoLeak { _ in Object(Owned(taking: UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped))) }
  }

  @Test func `borrowing an object adds a reference`() throws {
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

  @Test func `an object whose last reference is released on another thread is freed`() async {
    let lifetime: Lifetime
    var object: Object? = Object(Owned(taking: UnsafeMutableRawPointer(g_menu_new().unsafelyUnwrapped)))
    lifetime = Lifetime(of: object.unsafelyUnwrapped.raw)
    let keeper = Task.detached { [owned = object.unsafelyUnwrapped.owned] in _ = owned }
    object = nil
    await keeper.value
    // The release was enqueued on the main actor before this task.
    await Task { @MainActor in }.value
    #expect(lifetime.isOver)
  }

  @Test func `the memory of a bytes object is freed once the object and all its parts are released`() {
    let isFreed = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    isFreed.initialize(to: false)
    defer { isFreed.deallocate() }
    let free: GDestroyNotify = { $0?.assumingMemoryBound(to: Bool.self).pointee = true }
    var bytes: Bytes? = Bytes(taking: g_bytes_new_with_free_func(isFreed, 1, free, isFreed))
    var part = bytes?.part(from: 0, atMost: 1)
    #expect(part?.count == 1)
    bytes = nil
    #expect(!isFreed.pointee)
    part = nil
    #expect(isFreed.pointee)
  }
}
