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
    over window: Window, title: String, text: String, action: String,
    _ confirmed: @escaping @MainActor () -> Void
  ) {
    let dialog = Widget(new: copypasta_message_dialog_new(window.cast(), title, text))
    dialog.addStyle("question")
    // What task switchers call it. With a bar of its own GTK draws it as all other windows of the program are drawn.
    gtk_window_set_title(dialog.cast(), title)
    let bar = HeaderBar(title: "")
    gtk_header_bar_set_show_title_buttons(bar.opaque, 0)
    gtk_window_set_titlebar(dialog.cast(), bar.widget)
    gtk_dialog_add_button(dialog.cast(), tr("_Cancel"), GTK_RESPONSE_CANCEL.rawValue)
    let button = gtk_dialog_add_button(dialog.cast(), action, GTK_RESPONSE_ACCEPT.rawValue)
    gtk_widget_add_css_class(button, "destructive-action")
    gtk_dialog_set_default_response(dialog.cast(), GTK_RESPONSE_CANCEL.rawValue)
    dialog.connectResponse { [window = dialog.cast(to: GtkWindow.self)] response in
      // Destroyed first: what is confirmed may move the focus in the window.
      gtk_window_destroy(window)
      if response == GTK_RESPONSE_ACCEPT.rawValue { confirmed() }
    }
    dialog.keepPresses()
    gtk_window_present(dialog.cast())
  }
}
