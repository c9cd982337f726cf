import CGtk
import ClipHistory
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite struct ReadingIndicatorTests {
  init() async throws { try await openDisplay() }

  @Test(.tags(.indicatorIsTrue), arguments: ["the next text", "the loss of the focus", "a pause"])
  func `the indicator reports a skipped secret until the next text, a focus loss or a pause`(_ end: String) {
    let (indicator, expected) = (ReadingIndicator(), ReadingIndicator())
    indicator.showSecret()
    #expect(indicator.button.tooltip == expected.button.tooltip, "the window is inactive")
    for indicator in [indicator, expected] { indicator.state = .reading }
    let reading = indicator.button.tooltip
    indicator.showSecret()
    #expect(indicator.button.tooltip != reading)
    switch end {
    case "a pause": for indicator in [indicator, expected] { indicator.state = .paused }
    case "the loss of the focus": for indicator in [indicator, expected] { indicator.state = .idle }
    default: indicator.hideSecret()
    }
    #expect(indicator.button.tooltip == expected.button.tooltip)
    for indicator in [indicator, expected] { indicator.state = .reading }
    #expect(indicator.button.tooltip == reading)
  }

  @Test func `the dot is in the middle of an indicator without room for its text`() throws {
    let indicator = ReadingIndicator()
    let (root, button) = (indicator.root.widget, indicator.button.widget)
    var (width, height): (gint, gint) = (0, 0)
    gtk_widget_measure(root, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
    gtk_widget_measure(root, GTK_ORIENTATION_VERTICAL, width, &height, nil, nil, nil)
    gtk_widget_allocate(root, width, height, -1, nil)
    let dot = try #require(widgets(in: button).first { gtk_widget_has_css_class($0, "dot") != 0 })
    var (place, whole) = (graphene_rect_t(), graphene_rect_t())
    #expect(gtk_widget_compute_bounds(dot, button, &place) != 0)
    #expect(gtk_widget_compute_bounds(button, button, &whole) != 0)
    let middle = place.origin.x + place.size.width / 2
    #expect(abs(whole.origin.x + whole.size.width / 2 - middle) <= 1)
  }

  /// The main loop does not run before the labels are read, so the first frame shows these labels.
  @Test func `a window's first frame shows the reading state expected for an active window`() throws {
    let scratch = try Scratch()
    let cases: [(String, Bool, String)] = [
      (scratch.location.folder, false, "Recording"), (scratch.location.folder, true, "Paused"),
      ("/proc/none", false, "Not Recording"),
    ]
    for (folder, isPaused, words) in cases {
      let services = AppServices.keepingNothing(at: HistoryLocation(folder: folder), FakeShortcut())
      services.pause.isPaused = isPaused
      let before = toplevels()
      let window = HistoryWindow(services, HistorySession(services), showText: { _ in }, closed: {})
      let widget = try #require(toplevels().first { !before.contains($0) })
      #expect(labelTexts(in: widget).contains(isPaused ? "Paused" : "Not Recording"))
      window.present(.ambient)
      #expect(labelTexts(in: widget).contains(words))
      window.destroy()
    }
  }

  /// The display has no window manager, so the window that was presented last has the focus.
  @Test func `the indicator shows that reading is off if the window stays inactive`() async throws {
    let scratch = try Scratch()
    let session = HistorySession.make(at: scratch.location)
    let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
    window.present(.ambient)
    #expect(window.readingIndicator.state == .reading)
    let other = Window(title: "other")
    other.present()
    try await pump("the inactive state") { window.readingIndicator.state == .idle }
    #expect(window.readingIndicator.button.tooltip == "Recording continues when this window is in front.")
    other.destroy()
    window.destroy()
  }

  /// Each change of the label takes as long as the rest of a popup's frame.
  @Test func `a hidden window's indicator is updated only when the window is shown again`() async throws {
    let scratch = try Scratch()
    let session = HistorySession.make(at: scratch.location)
    let window = HistoryWindow(session.services, session, showText: { _ in }, closed: {})
    window.present(.ambient)
    try await pump("the first frame") { window.isDrawn }
    window.present(.ambient)
    let shown = window.readingIndicator.state
    window.hide()
    session.services.pause.isPaused = true
    #expect(window.readingIndicator.state == shown)
    window.present(.ambient)
    #expect(window.readingIndicator.state == .paused)
    window.destroy()
  }
}
