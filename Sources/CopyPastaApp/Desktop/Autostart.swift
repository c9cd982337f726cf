import GtkKit

/// Starting hidden with the user's session, by a file in the autostart folder (Desktop Application Autostart
/// Specification).
@MainActor
struct Autostart: LoginEntry {
  private let file: KeyFile
  private let program: String?

  /// Marks the file as this program's: one that somebody else put there is left alone.
  private static let mark = "X-CopyPasta-StartAtLogin"

  /// - Parameters:
  ///   - folder: the user's autostart folder.
  ///   - program: what is to be started, by its whole path.
  init(folder: String = UserFolders.config + "/autostart", program: String? = ProgramFiles.program) {
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
    guard let started = file.string("TryExec"), started.hasPrefix("/"), !UserFolders.hasProgram(at: started)
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
  func set(_ starts: Bool) throws(AutostartError) {
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

/// Why the start at login could not be set.
enum AutostartError: Error, Equatable {
  /// There is a file that this program has not made.
  case notOurs(path: String)
  /// The desktop, or the user when it asked, did not allow it.
  case refused
  /// The file could not be written or removed.
  case failed(path: String, reason: String)

  var message: String {
    switch self {
    case .notOurs(let path):
      tr("The start at login stays as it is: “%s” was not made by CopyPasta.").filled(with: path)
    case .refused: tr("The start at login stays as it is: the desktop did not allow the change.")
    case .failed(let path, let reason):
      tr("The start at login could not be changed: “%s”: %s").filled(with: path, reason)
    }
  }
}

/// The rules of desktop files (Desktop Entry Specification).
enum DesktopEntry {
  /// A word of a command line: nothing in it is taken for a quote, a variable or a field code.
  static func quoted(_ word: String) -> String {
    let special: [Character] = ["\"", "`", "$", "\\"]
    let escaped = word.map { special.contains($0) ? "\\\($0)" : $0 == "%" ? "%%" : String($0) }
    return "\"" + escaped.joined() + "\""
  }
}
