import GtkKit

extension MenuButton {
  /// The window's main menu.
  static var main: MenuButton {
    MenuButton(mainMenu: tr("Main Menu")) {
      // An open menu has the focus on its first entry, which therefore destroys nothing.
      Menu(sections: [
        [(tr("_Preferences"), "app.preferences"), (tr("_Keyboard Shortcuts"), "app.shortcuts")],
        [(tr("Clear _History…"), "win.clear-history"), (tr("Pause _Reading"), "win.pause")],
        [(tr("_About CopyPasta"), "app.about"), (tr("_Quit"), "app.quit")],
      ])
    }
  }
}
