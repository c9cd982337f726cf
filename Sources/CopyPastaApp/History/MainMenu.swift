import GtkKit

/// The window's main menu, in its header.
@MainActor
enum MainMenu {
  /// The button that opens it.
  static func button() -> Widget {
    MenuButton(mainMenu: tr("Main Menu")) {
      Menu(sections: [
        [(tr("Clear _History…"), "win.clear-history")],
        [
          (tr("_Preferences"), "app.preferences"), (tr("_Keyboard Shortcuts"), "app.shortcuts"),
          (tr("_About CopyPasta"), "app.about"), (tr("_Quit"), "app.quit"),
        ],
      ])
    }
  }
}
