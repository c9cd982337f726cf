import CGtk
import GtkTestSupport
import TestSupport
import Testing

@testable import GtkKit

/// Each wrapper once: what it makes goes with it, and so do the closures that it was handed.
@MainActor
@Suite(.serialized) struct WidgetTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `simple widgets leave nothing`() {
    expectNoLeak { _ in Label("text") }
    expectNoLeak { _ in Image(icon: "edit-copy-symbolic", size: 16) }
    expectNoLeak { token in Button(icon: "edit-copy-symbolic", name: "Copy") { _ = token }.flat() }
    expectNoLeak { token in Button(label: "_Copy") { _ = token } }
    expectNoLeak { token in Button(words: "Copy") { _ = token } }
  }

  @Test func `containers leave nothing`() {
    expectNoLeak { _ in Box(.vertical, spacing: 1, [Label("a"), Label("b")]) }
    expectNoLeak { _ in
      let stack = Stack()
      stack.show("one") { Label("a") }
      stack.show("two") { Label("b") }
      stack.removeAll()
      stack.show("three") { Label("c") }
      return stack
    }
    expectNoLeak { _ in Revealer(child: Label("a")) }
    expectNoLeak { _ in Overlay(Label("a"), under: [Label("b")]) }
    expectNoLeak { _ in ScrolledWindow(child: Label("a")) }
    expectNoLeak { _ in HeaderBar(start: [Label("a")], end: [Label("b")]) }
  }

  @Test func `gestures and keys leave nothing`() {
    expectNoLeak { token in
      let label = Label("a")
      label.onClick(.secondary) { _, _ in _ = token }
      label.onAnyInput { _ in _ = token }
      label.onArrival { _ = token }
      label.onControlDigit { _ in
        _ = token
        return true
      }
      label.onKeys("Delete", "<Shift>F10") {
        _ = token
        return true
      }
      return label
    }
  }

  @Test func `drops and drags leave nothing`() {
    expectNoLeak { token in
      let label = Label("a")
      label.onDrop(of: ["text/plain"]) { _ in _ = token }
      return label
    }
    expectNoLeak { token in
      DeferredContent(types: ["text/plain"]) {
        _ = token
        return Bytes([])
      }
    }
  }

  @Test func `actions and menus leave nothing`() {
    expectNoLeak { token in
      let group = ActionGroup()
      group.add("copy") { _ = token }
      return group
    }
    expectNoLeak { _ in Menu([("Copy", "row.copy")]) }
    expectNoLeak { _ in
      let label = Label("a")
      let popover = PopoverMenu(Menu([("Copy", "row.copy")]), on: label)
      popover.detach()
      return popover
    }
  }

  @Test func `a list view lets go of its rows`() {
    let source = Source()
    expectNoLeak { token in
      let list = ListView(model: ListModel(source: source)) { _ in Row(token) }
      list.onActivate { _ in _ = token }
      list.onRowClick(.primary) { _, _ in _ = token }
      list.onTooltip { _ in
        _ = token
        return nil
      }
      list.onRowDrag {
        _ = ($0, token)
        return nil
      } icon: {
        _ = ($0, token)
        return Label()
      }
      return list
    }
  }

  @Test func `accessible names leave nothing behind`() {
    expectNoLeak { _ in
      let label = Label("a")
      label.setAccessibleName("name")
      return label
    }
  }

  @Test func `of two widgets the second one goes before the title is cut`() {
    let second = Label("a word beside it")
    let title = "A title of some length"
    let bar = HeaderBar(title: title, start: [CollapsingBox(Label("●"), second)])
    let window = Window(title: title)
    window.setTitlebar(bar)
    // As narrow as it can be.
    window.defaultSize = (1, 1)
    window.present()
    #expect(MainLoop.run(until: { bar.isMapped && bar.width > 0 }, atMost: .seconds(20)))
    #expect(!second.isMapped)
    let label = gtk_header_bar_get_title_widget(bar.opaque).map { Label(Owned(borrowing: $0)) }
    #expect(label?.text == title && label?.isCut == false)
    window.defaultSize = (900, 100)
    #expect(MainLoop.run(until: { second.isMapped }, atMost: .seconds(20)))
    window.destroy()
  }

  @Test func `a row of two and a style sheet go with their owners`() {
    expectNoLeak { _ in CollapsingBox(Label("a"), Label("b")) }
    weak var sheet: StyleSheet?
    do {
      let made = StyleSheet("label { color: red; }", level: 2)
      made.css = ""
      sheet = made
    }
    #expect(sheet == nil)
  }

  @Test func `the next frame is told of once`() {
    let window = Window(title: "test")
    var calls = 0
    window.present()
    window.onNextFrame { calls += 1 }
    #expect(MainLoop.run(until: { calls == 1 }, atMost: .seconds(20)))
    var isLater = false
    window.setChild(Label("something else to draw"))
    window.onNextFrame { isLater = true }
    #expect(MainLoop.run(until: { isLater }, atMost: .seconds(20)))
    #expect(calls == 1)
    window.destroy()
  }

  @Test func `what is in a hidden window is laid out before it is shown`() {
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
    #expect(MainLoop.run(until: { list.isMapped }, atMost: .seconds(20)))
    window.destroy()
  }

  private final class Source: ListModelSource {
    let count = 100
    func value(at position: Int) -> any Sendable { position }
  }

  private final class Row: ListRow {
    let root: Widget = Label()
    private let token: Token
    init(_ token: Token) { self.token = token }
    func bind(_ value: any Sendable, in container: Widget) {}
    func unbind() {}
  }
}
