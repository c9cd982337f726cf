import GtkKit

/// Starting hidden with the user's session, by a file in the autostart folder (Desktop Application Autostart
/// Specification).
@MainActor
struct Autostart: StartAtLogin.Entry {
  private let file: KeyFile
  private let program: String?

  /// Marks the file as this program's: one that somebody else put there is left alone.
  private static let mark = "X-CopyPasta-StartAtLogin"

  /// - Parameters:
  ///   - folder: the user's autostart folder.
  ///   - program: what is to be started, by its whole path.
  init(folder: String = Desktop.Folders.config + "/autostart", program: String? = ProgramFiles.program) {
    file = KeyFile(path: "\(folder)/\(CopyPasta.id).desktop", group: "Desktop Entry")
    self.program = program
  }

  /// Whether the file is there, this program's, and heeded: desktops switch a file off by a line in it.
  ///
  /// One that starts a program which is there no more, as after a move, is written anew.
  var isSet: Bool? {
    guard isOurs, file.string("Hidden") != "true", file.string("X-GNOME-Autostart-enabled") != "false" else {
      return false
    }
    guard let started = file.string("TryExec"), started.hasPrefix("/"),
      !Desktop.hasProgram(at: started)
    else { return true }
    do throws(GLibError) {
      try write()
      return true
    } catch {
      return false
    }
  }

  private var isOurs: Bool { file.string(Self.mark) != nil }

  /// Writes or removes the file.
  func set(_ starts: Bool) throws(StartAtLogin.EntryError) {
    guard !file.exists || isOurs else { throw .notOurs(path: file.path) }
    do throws(GLibError) {
      if starts { try write() } else { try file.remove() }
    } catch {
      throw .failed(path: file.path, reason: error.message)
    }
  }

  private func write() throws(GLibError) {
    let program = program ?? "copypasta"
    try file.write(strings: [
      ("Type", "Application"), ("Name", "CopyPasta"), ("Icon", CopyPasta.id), ("TryExec", program),
      ("Exec", DesktopEntry.quoted(program) + " --background"), ("Terminal", "false"), (Self.mark, "true"),
    ])
  }
}

/// The rules of desktop files (Desktop Entry Specification).
private enum DesktopEntry {
  /// A word of a command line: nothing in it is taken for a quote, a variable or a field code.
  static func quoted(_ word: String) -> String {
    let special: [Character] = ["\"", "`", "$", "\\"]
    let escaped = word.map { special.contains($0) ? "\\\($0)" : $0 == "%" ? "%%" : String($0) }
    return "\"" + escaped.joined() + "\""
  }
}
