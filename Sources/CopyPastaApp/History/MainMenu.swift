import GtkKit

/// The window's main menu, in its header.
@MainActor
enum MainMenu {
  /// The button that opens it.
  static func button() -> Widget {
    MenuButton(mainMenu: tr("Main Menu")) {
      // An open menu has the keyboard on its first entry, which therefore destroys nothing.
      Menu(sections: [
        [(tr("_Preferences"), "app.preferences"), (tr("_Keyboard Shortcuts"), "app.shortcuts")],
        [(tr("Clear _History…"), "win.clear-history")],
        [(tr("_About CopyPasta"), "app.about"), (tr("_Quit"), "app.quit")],
      ])
    }
  }
}
