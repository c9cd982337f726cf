import CGtk

/// A dialog that asks before something is done that cannot be taken back.
@MainActor
public enum ConfirmationDialog {
  /// Asks over a window, which waits meanwhile; `confirmed` is called if the user wants it done.
  ///
  /// - Parameters:
  ///   - title: the question itself.
  ///   - text: what will happen.
  ///   - action: the button that does it, with `_` before its letter.
  public static func ask(
    over parent: Window, title: String, text: String, action: String,
    _ confirmed: @escaping @MainActor () -> Void
  ) {
    // The title is what task switchers call it. With a bar of its own GTK draws it as all windows of the program.
    let window = Window(title: title)
    window.addStyle("question")
    window.setAccessibleRole(.dialog)
    window.setAccessibleDescription(text)
    window.setTitlebar(.bare)
    let close: @MainActor () -> Void = { [pointer = window.cast(to: GtkWindow.self)] in
      gtk_window_destroy(pointer)
    }
    let cancel = Button(label: tr("_Cancel"), close)
    let confirm = Button(label: action) {
      // Closed first: what is confirmed may move the focus in the window.
      close()
      confirmed()
    }
    confirm.addStyle("destructive-action")
    confirm.expand(horizontally: true)
    let (heading, body) = (Label(title), Label(text))
    heading.addStyle("title")
    for label in [heading, body] {
      label.wrap()
      label.center()
      label.limitWidth(toCharacters: 40)
    }
    let page = Box(.vertical, spacing: 12, [heading, body, ReflowingBox(cancel, confirm)])
    page.addStyle("page")
    window.setChild(ScrolledWindow(child: page, isAsLargeAsItsChild: true))
    window.onKeys("Escape") {
      close()
      return true
    }
    window.wait(above: parent)
    // The button that Enter presses.
    gtk_window_set_focus(window.cast(), cancel.widget)
    window.present()
  }
}
