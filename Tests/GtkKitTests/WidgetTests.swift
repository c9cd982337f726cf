import CGtk
import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Each wrapper's object and closures are released.
@MainActor
@Suite(.serialized) struct WidgetTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `widgets, their descendants and their closures do not leak`() {
    expectNoLeak { token in
      let label = Label("text")
      label.setAccessibleName("name")
      label.onClick(.secondary) {
        $0
      } _: { _, _ in
        _ = token
      }
      label.onLongPress {
        _ = token
        return $0
      } _: { _, _ in
      }
      label.onSwipe { _ in
        _ = token
        return nil
      }
      label.onAnyInput { _ in _ = token }
      label.onArrival { _ = token }
      label.onDigit { _ in
        _ = token
        return true
      }
      label.onKeys(["Delete", "<Shift>F10"]) {
        _ = token
        return true
      }
      label.addKeys(["<Control>z"], running: "win.undo")
      label.onDrop(of: ["text/plain"]) { _ in _ = token }
      let stack = Stack()
      stack.show("one") { Label("a") }
      stack.show("two") { Label("b") }
      stack.removeAll()
      stack.show("three") { Label("c") }
      let button = Button(label: "_Press")
      button.onClick { _ = token }
      button.onFocusLoss { _ = token }
      button.label = "_Click"
      let control = Switch("sound", of: ActionGroup())
      let controlLabel = Label("_Sound", of: control)
      #expect(controlLabel.text == "Sound")
      let list = ListBox()
      list.append(Label("row")) { _ = token }
      list.append(Label("another"))
      return Box(
        .vertical, spacing: 1,
        [
          label, stack, button, control, controlLabel, list,
          ToggleButton(label: "1", name: "1 line", action: "test.lines", target: .uint32(1)),
          Button(icon: "edit-copy-symbolic", name: "Copy") { _ = token }, Button(words: "Copy") { _ = token },
          Image(icon: "edit-copy-symbolic", size: 16),
          Overlay(Label("a"), under: [Label("b")]), ScrolledWindow(child: Label("a")),
          ScrollingBox(Label("a")),
          HeaderBar(start: [Label("a")], end: [Label("b")]), Squeezer(Label("a")),
          ReflowingBox(Label("a"), Label("b")),
        ])
    }
  }

  @Test func `all lines of a label are aligned to the direction of its first letter`() {
    for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
      let label = Label()
      gtk_widget_set_direction(label.widget, direction)
      label.wrap(lines: 3)
      for (text, isFromRight) in [
        ("Latin\nשלום!\nx", false), ("אב\nשלום", true), ("Latin", false),
        ("1 2\n\nم", true), ("1 2", direction == GTK_TEXT_DIR_RTL),
      ] {
        label.show(text, faintly: [0..<1])
        gtk_widget_allocate(label.widget, 400, 100, -1, nil)
        let lines = pango_layout_get_iter(gtk_label_get_layout(label.opaque))
        defer { pango_layout_iter_free(lines) }
        repeat {
          var line = PangoRectangle()
          pango_layout_iter_get_line_extents(lines, nil, &line)
          let edge = isFromRight ? line.x + line.width - 400 * PANGO_SCALE : line.x
          #expect(abs(edge) < PANGO_SCALE, "\(edge)")
        } while pango_layout_iter_next_line(lines) != 0
      }
    }
  }

  @Test func `symbols are faint in lines of either text direction`() {
    let label = Label()
    label.show("אב·\n··x", faintly: [4..<6, 7..<11])
    var parts: [String] = []
    let shown = Array(label.text.utf8)
    let attributes = pango_attr_list_get_iterator(gtk_label_get_attributes(label.opaque))
    defer { pango_attr_iterator_destroy(attributes) }
    repeat {
      var (start, end): (gint, gint) = (0, 0)
      pango_attr_iterator_range(attributes, &start, &end)
      guard pango_attr_iterator_get(attributes, PANGO_ATTR_FOREGROUND_ALPHA) != nil else { continue }
      parts.append(String(decoding: shown[Int(start)..<Int(end)], as: UTF8.self))
    } while pango_attr_iterator_next(attributes) != 0
    #expect(parts == ["·", "··"])
  }

  @Test func `applications, style sheets, actions, menus and deferred content do not leak`() {
    expectNoLeak { token in
      let application = Application(id: "org.copypasta.Test")
      application.onActivate { _ = token }
      application.addAction("test", keys: ["<Control>t"]) { _ = token }
      return application
    }
    weak var sheet: StyleSheet?
    do {
      let made = StyleSheet("label { color: red; }", level: 2)
      made.css = ""
      sheet = made
    }
    #expect(sheet == nil)
    expectNoLeak { _ in DeferredContent(Bytes([]), types: ["text/plain"]) }
    expectNoLeak { token in
      let group = ActionGroup()
      group.add("copy") { _ = token }
      group.add("delete") { _ in _ = token }
      return group
    }
    expectNoLeak { _ in Menu(sections: [[("Copy", "row.copy", "<Control>c")]], target: 1) }
    expectNoLeak { _ in PopoverMenu(on: Label("a")) }
  }

  @Test func `an action receives its target id`() {
    let label = Label("a")
    let group = ActionGroup()
    var targets: [Int64] = []
    group.add("copy") { targets.append($0) }
    label.insert(group, as: "row")
    label.addKeys(["Delete"], running: "row.copy")
    #expect(label.run("row.copy", on: .max) && label.run("row.copy", on: -1))
    #expect(!label.run("row.other", on: 1))
    #expect(targets == [.max, -1])
  }

  @Test func `a list view does not leak its rows and closures`() {
    let source = Source()
    expectNoLeak { token in
      let list = ListView(model: ListModel(source: source)) { _ in Row(token) }
      list.onActivate { _ in _ = token }
      list.onRowClick(.primary) { _, _ in _ = token }
      list.onRowLongPress { _, _ in _ = token }
      list.onRowSwipe { _ in
        _ = token
        return nil
      }
      return list
    }
  }

  @Test func `a reflowing box stacks its widgets if the second needs over half and the first does not fit`() {
    let (words, control) = (Label("Some words that tell of what is beside them"), Label("a control"))
    words.wrap()
    let box = ReflowingBox(words, control)
    func place(inWidth width: gint) -> (GtkKit.Rectangle?, GtkKit.Rectangle?) {
      var height: gint = 0
      gtk_widget_measure(box.widget, GTK_ORIENTATION_VERTICAL, width, &height, nil, nil, nil)
      gtk_widget_allocate(box.widget, width, height, -1, nil)
      return (words.bounds(in: box), control.bounds(in: box))
    }
    var own: gint = 0
    gtk_widget_measure(control.widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &own, nil, nil)
    let (wide, beside) = place(inWidth: 3 * own)
    #expect(beside?.y == wide?.y && beside?.x == Double(2 * own))
    let (narrow, below) = place(inWidth: 2 * own)
    #expect(below?.y ?? 0 >= narrow?.height ?? .infinity && narrow?.width == Double(2 * own))
    #expect(below?.x == Double(own))
    gtk_widget_set_direction(box.widget, GTK_TEXT_DIR_RTL)
    #expect(place(inWidth: 2 * own).1?.x == 0)
    words.text = "."
    #expect(place(inWidth: 2 * own - 2).1?.y == 0)
  }

  /// Otherwise GTK 4.18 and newer would print a warning.
  @Test func `a box's minimum height is its height at its natural width, and no width needs less`() {
    func text() -> Label {
      let label = Label("Some words that tell at length of what is beside them, on up to four lines")
      label.wrap()
      return label
    }
    func size(_ box: Widget, _ direction: GtkOrientation, for other: gint = -1) -> (gint, natural: gint) {
      var (least, natural): (gint, gint) = (0, 0)
      gtk_widget_measure(box.widget, direction, other, &least, &natural, nil, nil)
      return (least, natural)
    }
    let wide = Label("a wide control")
    wide.expand(horizontally: true)
    for (number, box) in [
      ScrollingBox(text()), ScrollingBox(ScrolledWindow(child: Box(.vertical, [text()]))),
      ReflowingBox(ScrollingBox(text()), Button(label: "a control")), ReflowingBox(text(), wide),
    ].enumerated() {
      let width = size(box, GTK_ORIENTATION_HORIZONTAL)
      let widths = [-1, width.natural] + stride(from: width.0, through: 1000, by: 10)
      let heights = widths.map { size(box, GTK_ORIENTATION_VERTICAL, for: $0).0 }
      #expect(heights[0] == heights[1] && heights[0] == heights.min(), "box \(number): \(heights)")
    }
  }

  @Test func `a hidden window's content can be laid out in advance`() {
    let window = Window(title: "test")
    window.defaultSize = (400, 300)
    var rows: [Row] = []
    let source = Source()
    let list = ListView(model: ListModel(source: source)) { _ in
      rows.append(Row(Token()))
      return rows[rows.count - 1]
    }
    window.setChild(ScrolledWindow(child: list))
    window.layOut()
    #expect(list.width == 400)
    #expect(rows.contains { $0.root.width > 0 })
    #expect(!window.isVisible && !list.isMapped)
    window.present()
    #expect(MainLoop.run(until: { list.isMapped }, atMost: generousLimit))
    window.destroy()
  }

  private final class Source: ListModelSource {
    let count = 100
    func value(at position: Int) -> any Sendable { position }
    func position(near id: Int64) -> Int { Int(id) }
  }

  private final class Row: ListRow {
    let root: Widget = Label()
    let id: Int64? = nil
    private let token: Token
    init(_ token: Token) { self.token = token }
    func bind(_ value: any Sendable, in container: Widget) {}
    func unbind() {}
    func placeChanged() {}
  }
}
