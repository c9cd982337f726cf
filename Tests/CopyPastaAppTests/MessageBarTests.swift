import CGtk
import GtkTestSupport
import Testing

@testable import CopyPastaApp
@testable import GtkKit

@MainActor
@Suite(.serialized) final class MessageBarTests {
  private let window: Window
  private let overlay: Overlay
  private let below: Button
  private var coveredHeight = 0
  private var times: [Duration?] = []
  /// One millisecond is safe: a timeout fires only in the main loop, which a test runs after its first expectations.
  private lazy var bar = MessageBar(over: overlay) { [unowned self] in
    times.isEmpty ? $0.time.map { _ in .milliseconds(1) } : times.removeFirst()
  } giveBackFocus: { [below] in
    below.grabFocus()
  } covers: { [unowned self] in
    coveredHeight = $0
  }

  init() async throws {
    try await openDisplay()
    window = Window(title: "Messages")
    below = Button(words: "below") {}
    below.expand(horizontally: true, vertically: true)
    overlay = Overlay(below, under: [])
    window.setChild(overlay)
    window.defaultSize = (480, 480)
    window.present(.ambient)
    bar.isWindowActive = true
  }

  isolated deinit { window.destroy() }

  /// The words of the messages on the screen.
  private var shown: [String] {
    let card = widgets(gtk_widget_get_type(), in: overlay.widget).first {
      gtk_widget_has_css_class($0, "messages") != 0
    }
    guard let card, gtk_widget_get_visible(card) != 0 else { return [] }
    return widgets(in: card).filter { gtk_widget_has_css_class($0, "message") != 0 }.compactMap {
      labelTexts(in: $0).first
    }
  }

  private func button(_ words: String) throws -> UnsafeMutablePointer<GtkWidget> {
    try #require(
      widgets(gtk_button_get_type(), in: overlay.widget).first {
        labelTexts(in: $0) == [words] || words == "Close" && labelTexts(in: $0).isEmpty
      })
  }

  private var isClosable: Bool {
    widgets(gtk_button_get_type(), in: overlay.widget).contains { labelTexts(in: $0).isEmpty }
  }

  private func hasFocus(_ words: String) throws -> Bool { gtk_widget_is_focus(try button(words)) != 0 }

  private func press(_ words: String) throws { copypasta_emit(try button(words), "clicked") }

  /// Waits for a timer that is due after a message's time, if that has begun.
  private func waitForLaterTimer() async throws {
    var isLater = false
    let later = Timeout(after: .milliseconds(2)) { isLater = true }
    try await pump("a later timer") { isLater }
    withExtendedLifetime(later) {}
  }

  @Test func `there is one message of each kind; a button first removes its message`() throws {
    var shownAtAction: [[String]] = []
    let undo = Message.Button(words: "Undo") { [unowned self] in shownAtAction.append(shown) }
    bar.set(.undo, Message(words: "Deleted", buttons: [undo]))
    bar.set(.recovery, Message(words: "Recovered."))
    bar.set(.notice, Message(words: "Earlier.", lifetime: .brief))
    bar.set(.notice, Message(words: "Later.", lifetime: .brief))
    #expect(shown == ["Recovered.", "Later.", "Deleted"])
    #expect(bar.says("Later.", besides: .capture))
    #expect(!bar.says("Later.", besides: .notice) && !bar.says("Earlier.", besides: .capture))
    try press("Undo")
    #expect(shownAtAction == [["Recovered.", "Later."]])
    bar.set(.notice, nil)
    bar.set(.recovery, nil)
    #expect(shown.isEmpty)
  }

  @Test func `the focus returns when its message goes, and stays if the words change`() throws {
    func undo(_ words: String) -> Message { Message(words: words, buttons: [.init(words: "Undo") {}]) }
    bar.set(.undo, undo("1 item deleted"))
    gtk_widget_grab_focus(try button("Undo"))
    bar.set(.undo, undo("2 items deleted"))
    #expect(shown == ["2 items deleted"])
    #expect(try hasFocus("Undo"))
    try press("Undo")
    #expect(gtk_widget_is_focus(below.widget) != 0)
  }

  @Test func `a question has no Close button, and its first button has the focus`() async throws {
    var answers: [String] = []
    bar.set(
      .clear,
      Message(
        words: "Delete everything?",
        buttons: [
          .init(words: "Cancel") { answers.append("no") }, .init(words: "Delete") { answers.append("yes") },
        ]))
    bar.focus(.clear)
    #expect(try hasFocus("Cancel"))
    #expect(!isClosable)
    try press("Delete")
    #expect(answers == ["yes"] && shown.isEmpty)
  }

  @Test func `a message's time begins when the window becomes active`() async throws {
    bar.isWindowActive = false
    bar.set(.notice, Message(words: "Brief.", lifetime: .brief))
    try await waitForLaterTimer()
    #expect(shown == ["Brief."])
    bar.isWindowActive = true
    try await pump("the end of the message") { shown.isEmpty }
  }

  @Test func `a message without a time stays until it is closed`() async throws {
    var closed = 0
    bar.set(.recovery, Message(words: "Recovered.") { closed += 1 })
    bar.set(.notice, Message(words: "Brief.", lifetime: .brief))
    try await pump("the end of the other message") { shown == ["Recovered."] }
    try press("Close")
    #expect(shown.isEmpty && closed == 1)
  }

  @Test func `a state whose message was closed is shown again only once it has changed`() throws {
    let state = Message(words: "Read-only.", lifetime: .long)
    bar.set(.obstacle, state)
    try press("Close")
    bar.set(.obstacle, state)
    #expect(shown.isEmpty)
    bar.set(.obstacle, Message(words: "Disk full.", lifetime: .long))
    #expect(shown == ["Disk full."])
    bar.set(.obstacle, nil)
    bar.set(.obstacle, state)
    #expect(shown == ["Read-only."])
  }

  @Test func `an event that happens again begins its time again`() async throws {
    times = [.milliseconds(1), .seconds(60)]
    for _ in 1...2 { bar.set(.notice, Message(words: "Nothing to undo.", lifetime: .brief)) }
    try await waitForLaterTimer()
    #expect(shown == ["Nothing to undo."])
  }

  @Test func `messages report the height that they cover, and move nothing under them`() async throws {
    try await pump("a layout") { below.width > 0 }
    let before = below.bounds(in: overlay)
    bar.set(.recovery, Message(words: "Recovered."))
    try await pump("the covered height") { coveredHeight > 30 }
    #expect(below.bounds(in: overlay) == before)
    let one = coveredHeight
    bar.set(.undo, Message(words: "Deleted", buttons: [.init(words: "Undo") {}]))
    try await pump("a greater height") { coveredHeight > one }
    bar.set(.undo, nil)
    bar.set(.recovery, nil)
    try await pump("nothing covered") { coveredHeight == 0 }
  }

  @Test func `in a short window, the card scrolls to the question that has the focus`() async throws {
    window.defaultSize = (360, 160)
    try await pump("a short window") { (1...160).contains(window.size.height) }
    func question(_ name: String) -> Message {
      Message(
        words: String(repeating: name + " ", count: 40),
        buttons: [.init(words: "Cancel " + name) {}, .init(words: "Do " + name) {}])
    }
    bar.set(.expired, question("expired"))
    bar.focus(.expired)
    bar.set(.clear, question("clear"))
    bar.focus(.clear)
    let scrolled = Widget(
      Owned(borrowing: try #require(widgets(gtk_scrolled_window_get_type(), in: window.widget).first)))
    for name in ["clear", "expired"] {
      bar.focus(name == "clear" ? .clear : .expired)
      let cancel = Widget(Owned(borrowing: try button("Cancel " + name)))
      try await pump("Cancel \(name) in view") {
        let height = Double(gtk_widget_get_height(scrolled.widget))
        guard let frame = cancel.bounds(in: scrolled) else { return false }
        return frame.height > 0 && frame.y >= 0 && frame.y + frame.height <= height
      }
    }
  }

  @Test(arguments: [700, 200])
  func `a long message is fully visible, but scrolls in a short window instead of enlarging it`(height: Int)
    async throws
  {
    let small = Window(title: "Messages")
    let list = Label("list")
    list.expand(horizontally: true, vertically: true)
    let overlay = Overlay(list, under: [])
    small.defaultSize = (360, height)
    small.setChild(overlay)
    let bar = MessageBar(over: overlay, giveBackFocus: {}, covers: { _ in })
    small.present(.ambient)
    defer { small.destroy() }
    let long =
      String(repeating: "Die Datei des Verlaufs war beschädigt. ", count: 12) + "“history.damaged”"
    bar.set(.recovery, Message(words: long))
    let scrolled = try #require(widgets(gtk_scrolled_window_get_type(), in: small.widget).first)
    let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
    func isLaidOut() -> Bool {
      let (seen, whole) = (gtk_adjustment_get_page_size(adjustment), gtk_adjustment_get_upper(adjustment))
      return height == 700 ? seen > 150 && whole == seen : seen > 60 && whole > seen + 60
    }
    #expect(MainLoop.run(until: isLaidOut, atMost: .seconds(20)))
    let label = OpaquePointer(try #require(widgets(gtk_label_get_type(), in: scrolled).first))
    #expect(pango_layout_is_ellipsized(gtk_label_get_layout(label)) == 0)
    #expect(pango_layout_get_line_count(gtk_label_get_layout(label)) > 8)
    #expect(gtk_widget_get_height(small.widget) <= height)
  }
}
