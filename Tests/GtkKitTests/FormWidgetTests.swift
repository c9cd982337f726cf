import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit

/// The widgets of dialogs, which must not leak and must react to the user.
@MainActor
@Suite(.serialized) struct FormWidgetTests {
  init() async throws { try await TestDisplay.open() }

  @Test func `a text view reports the selected range when the user copies, and does not leak`() {
    var copied: [Range<Int>] = []
    expectNoLeak { token in
      let made = TextView("grüezi 🙂\nmitenand")
      made.onCopy {
        _ = token
        copied.append($0)
      }
      #expect(gtk_text_view_get_editable(made.cast()) == 0)
      // The selection is still empty.
      copypasta_emit(made.raw, "copy-clipboard")
      let buffer = gtk_text_view_get_buffer(made.cast())
      var (start, end) = (GtkTextIter(), GtkTextIter())
      gtk_text_buffer_get_bounds(buffer, &start, &end)
      gtk_text_buffer_select_range(buffer, &start, &end)
      for signal in ["copy-clipboard", "cut-clipboard"] { copypasta_emit(made.raw, signal) }
      return Box(.vertical, [made])
    }
    #expect(copied == [0..<17, 0..<17])
  }

  @Test func `a row can be clicked after its list's Swift object was released`() {
    var count = 0
    var row: Widget?
    let box = Box(.vertical)
    do {
      let list = ListBox()
      row = list.append(Label("row")) { count += 1 }
      box.append(list)
    }
    // Put the row into a window, because GTK queries the focus of the row's window.
    let window = Window(title: "test")
    window.setChild(box)
    if let row { gtk_widget_activate(row.widget) }
    #expect(count == 1)
    window.destroy()
  }

  @Test func `a button's menu is created only when first opened`() {
    var count = 0
    expectNoLeak { token in
      let window = Window(title: "test")
      let button = MenuButton(mainMenu: "Menu") {
        _ = token
        count += 1
        return Menu(sections: [[("_Copy", "app.copy", nil)], [("_Quit", "app.quit", nil)]])
      }
      window.setChild(button)
      window.present()
      #expect(count == 0)
      for _ in 1...2 {
        gtk_menu_button_popup(button.opaque)
        #expect(!button.hasTooltip, "it would lie over the menu")
        gtk_menu_button_popdown(button.opaque)
        #expect(button.hasTooltip)
      }
      #expect(count == 1)
      window.destroy()
      return button
    }
  }

  /// On a busy machine, a menu is drawn long after the keys that open it and navigate in it.
  @Test func `arrow keys navigate a menu that is not drawn yet`() throws {
    let window = Window(title: "test")
    let label = Label("a")
    window.setChild(label)
    let group = ActionGroup()
    for name in ["one", "two", "three"] { group.add(name) {} }
    label.insert(group, as: "row")
    let sections: [[Menu.Entry]] = [
      [("One", "row.one", nil), ("Two", "row.two", nil)], [("Three", "row.three", nil)],
    ]
    let menu = PopoverMenu(on: label)
    window.present()
    menu.popUp(Menu(sections: sections), at: Point(x: 0, y: 0))
    for _ in 1...2 { gtk_widget_child_focus(menu.widget, GTK_DIR_DOWN) }
    let focus = try #require(gtk_root_get_focus(window.opaque))
    #expect(Widget(Owned(borrowing: focus))[property: "text"] == .text("Three"))
    window.destroy()
    withExtendedLifetime(menu) {}
  }
}
