import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

/// When the window hides automatically, and how its requests overlap.
@MainActor
@Suite(.serialized, .tags(.popsUp)) struct WindowTogglerTests {
  private let preferences = Preferences(schema: nil)
  private let desktop = SlowDesktop()
  private let window: HistoryWindow
  private let toggler: WindowToggler

  init() async throws {
    try await openDisplay()
    let services = AppServices.keepingNothing(
      FakeShortcut(), on: desktop, preferences: preferences)
    window = HistoryWindow(services, HistorySession(services), showText: { _ in }, closed: {})
    toggler = WindowToggler(window, preferences: { [preferences] in preferences }, hidden: {})
  }

  @Test(.tags(.hidesPopups))
  func `a copy hides a popup, and neither a launched window nor a popup that stays`() async throws {
    for (isPopup, hides, isHidden) in [(true, true, true), (true, false, false), (false, true, false)] {
      preferences[flag: .hidesPopup] = hides
      toggler.show(.ambient, asPopup: isPopup)
      window.session.events.notify(.done(.copied, 1, isAnnounced: true))
      #expect(window.isShown == !isHidden)
      toggler.hide()
    }
    window.destroy()
  }

  private func showOtherWindow() async throws -> Window {
    let other = Window(title: "other")
    other.present()
    try await pump("the window behind another one") { !window.isActive }
    return other
  }

  /// On GNOME, the first click of a double click opens a menu, which takes the focus from the window.
  @Test func `a tray click right after the window has lost the focus hides the window`() async throws {
    toggler.show(.ambient)
    let other = try await showOtherWindow()
    toggler.toggleByClick(.ambient)
    #expect(!window.isShown)
    other.destroy()
    window.destroy()
  }

  @Test func `a launch while a toggle asks for the focus is not hidden by the answer`() async throws {
    toggler.show(.ambient)
    let other = try await showOtherWindow()
    toggler.toggle(.ambient)
    try await pump("the question") { desktop.question != nil }
    toggler.show(.ambient)
    desktop.question?.resume(returning: true)
    try await pump("the window brought") { desktop.isBrought }
    #expect(window.isShown)
    other.destroy()
    window.destroy()
  }
}

/// A desktop that answers when the test lets it.
@MainActor
private final class SlowDesktop: WindowSystem {
  var question: CheckedContinuation<Bool, Never>?
  var isBrought = false

  func makeClipboard() -> any SystemClipboard { makeWindowSystem().makeClipboard() }
  func makeKeyGrab() -> KeyGrabShortcut? { nil }
  var showsWindowIcons: Bool { false }
  func isFocusIn(_ windows: [Window]) async -> Bool { await withCheckedContinuation { question = $0 } }
  func bringHere(_ windows: [Window], _ activation: Activation) async { isBrought = true }
}
