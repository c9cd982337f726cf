import GtkKit

/// Whether the desktop starts the program, hidden, when the user logs in: a switch for the desktop's own configuration.
@MainActor
final class StartAtLogin {
  /// The desktop's configuration that starts the program with the session.
  @MainActor
  protocol Entry {
    var isSet: Bool { get }

    func set(_ starts: Bool) async throws(EntryError)
  }

  enum EntryError: Error, Equatable {
    /// The autostart folder has a file of the same name that this program did not write.
    case notOurs(path: String)
    /// The desktop, or the user in its dialog, denied the request.
    case refused
    case failed(path: String, reason: String)

    var message: String {
      switch self {
      case .notOurs(let path):
        tr(
          "Couldn’t change Start at Login: “%s” was not made by CopyPasta. Move that file away, then try again."
        )
        .filled(with: path)
      case .refused: tr("Couldn’t change Start at Login: your desktop did not allow it.")
      case .failed(let path, let reason):
        tr("Couldn’t change Start at Login: “%s”: %s").filled(with: path, reason)
      }
    }
  }

  /// Whether the program starts at login; a change is applied to the desktop first.
  private(set) lazy var action = ToggleAction("start-at-login", requested: weakly(self) { $0.set($1) })
  /// Notified of the outcome of each change: the error message; nil if it succeeded.
  let outcomes = Observers<String?>()
  /// Why the configuration has no effect on this desktop; nil if it has.
  private(set) var obstacle: String?
  private let entry: any Entry
  /// Runs the changes in order.
  let queue = TaskQueue()

  init(_ entry: any Entry) {
    self.entry = entry
  }

  /// The configuration of this desktop.
  static func ofDesktop() -> StartAtLogin {
    StartAtLogin(
      Desktop.isFlatpak
        ? BackgroundPortal(
          answer: KeyFile(
            path: Desktop.Folders.state + "/copypasta/start-at-login.ini", group: "start-at-login"))
        : AutostartFile())
  }

  /// Reads the desktop's configuration again.
  func refresh() {
    action.show(obstacle == nil && entry.isSet)
    action.isEnabled = obstacle == nil
  }

  /// Finds out whether this desktop ignores the configuration.
  func findObstacle(on bus: Bus?, in compositor: Compositor? = .current) async {
    obstacle = await Self.obstacle(on: bus, in: compositor)
    refresh()
  }

  /// Applies a setting of CopyPasta 1.2, which had a copy of the configuration, and resets it.
  ///
  /// - Parameter schema: Its schema; nil if it is not installed.
  func adoptReplacedSetting(_ schema: SettingsSchema?) {
    let key = "start-at-login"
    let settings = Settings(schema, initially: [key: .bool(false)])
    guard let starts = settings.userValue(of: key)?.bool else { return }
    settings.reset(key)
    if starts != entry.isSet { set(starts) }
  }

  private func set(_ starts: Bool) {
    queue.add { [self] in
      do throws(EntryError) {
        try await entry.set(starts)
        outcomes.notify(nil)
      } catch {
        printError(error.message)
        outcomes.notify(error.message)
      }
      refresh()
    }
  }
}

// MARK: - Desktops without autostart

extension StartAtLogin {
  private static let systemd = RemoteObject(
    name: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
    interface: "org.freedesktop.systemd1.Manager")

  /// Returns why the configuration would have no effect, and the line to add to a file instead; nil if it works.
  ///
  /// A compositor that is configured in a file ignores the autostart folder. Systemd reads that folder if it has
  /// started the session.
  static func obstacle(on bus: Bus?, in compositor: Compositor?) async -> String? {
    guard let compositor, await !systemdStartsPrograms(bus) else { return nil }
    return tr("Not available: %s starts no programs at login. Add this to %s:").filled(
      with: compositor.name, compositor.startFile ?? compositor.file) + "\n"
      + compositor.start.filled(with: CopyPasta.command)
  }

  private static func systemdStartsPrograms(_ bus: Bus?) async -> Bool {
    guard let bus else { return false }
    do throws(BusError) {
      let unit = try await bus.call(
        systemd, "GetUnit", [.string("xdg-desktop-autostart.target")], timeout: .seconds(5),
        startsService: false)
      guard let path = unit[0]?.string else { return false }
      let target = RemoteObject(name: systemd.name, path: path, interface: "org.freedesktop.systemd1.Unit")
      return try await bus.property("ActiveState", of: target, timeout: .seconds(5))?.string == "active"
    } catch {
      return false
    }
  }
}

// MARK: - The two kinds of entries

extension StartAtLogin {
  /// A desktop file in the user's autostart folder, which starts the program hidden.
  ///
  /// See https://specifications.freedesktop.org/autostart-spec.
  @MainActor
  struct AutostartFile: Entry {
    private let file: KeyFile
    /// The files of the same name that start the program for every user; the first one counts.
    private let systemFiles: [KeyFile]
    private let program: String

    /// The key that marks a file as written by this program; other files are not changed.
    private static let mark = "X-CopyPasta-StartAtLogin"

    /// - Parameters:
    ///   - folder: The user's autostart folder.
    ///   - systemFolders: The autostart folders for all users, in the order of their precedence.
    ///   - program: The absolute path of the program to start.
    init(
      folder: String = Desktop.Folders.config + "/autostart",
      systemFolders: [String] = Desktop.Folders.systemConfig.map { $0 + "/autostart" },
      program: String? = ProgramFiles.program
    ) {
      func entry(in folder: String) -> KeyFile {
        KeyFile(path: "\(folder)/\(CopyPasta.id).desktop", group: "Desktop Entry")
      }
      file = entry(in: folder)
      systemFiles = systemFolders.map(entry)
      self.program = program ?? "copypasta"
    }

    /// Whether the desktop starts what the file names, whoever wrote it; an administrator's file counts if the user has
    /// none.
    var isSet: Bool { file.exists ? Self.isEnabled(file) : isSetBySystem }

    private var isSetBySystem: Bool { systemFiles.first(where: \.exists).map(Self.isEnabled) ?? false }

    private static func isEnabled(_ file: KeyFile) -> Bool {
      let program = file.string("TryExec")
      return file.string("Hidden") != "true" && file.string("X-GNOME-Autostart-enabled") != "false"
        && (program?.hasPrefix("/") != true || Desktop.hasProgram(at: program ?? ""))
    }

    func set(_ starts: Bool) throws(EntryError) {
      guard !file.exists || file.string(Self.mark) != nil else { throw .notOurs(path: file.path) }
      do throws(GLibError) {
        // A hidden file of the user overrides the administrator's file.
        if starts || isSetBySystem { try write(isHidden: !starts) } else { try file.remove() }
      } catch {
        throw .failed(path: file.path, reason: error.message)
      }
    }

    private func write(isHidden: Bool) throws(GLibError) {
      try file.write(strings: [
        ("Type", "Application"), ("Name", "CopyPasta"), ("Icon", CopyPasta.id), ("TryExec", program),
        ("Exec", Self.quoted(program) + " --background"), ("Terminal", "false"), (Self.mark, "true"),
        ("Hidden", isHidden ? "true" : "false"),
      ])
    }

    /// Quotes an argument for the `Exec` key (Desktop Entry Specification), escaping quotes, variables and field codes.
    private static func quoted(_ word: String) -> String {
      let special: [Character] = ["\"", "`", "$", "\\"]
      let escaped = word.map { special.contains($0) ? "\\\($0)" : $0 == "%" ? "%%" : String($0) }
      return "\"" + escaped.joined() + "\""
    }
  }

  /// The Background portal, for a sandbox, which cannot reach the autostart folder.
  @MainActor
  struct BackgroundPortal: Entry {
    /// How long the portal may take to answer; it may show a dialog to the user.
    private static let limit = Duration.seconds(120)
    private static let key = "starts"

    /// Stores the portal's last answer, because the portal cannot be asked for it.
    let answer: KeyFile
    /// Returns the bus that the portal is on; tests replace this closure.
    var connect: @MainActor () async throws(BusError) -> Bus = Bus.session

    var isSet: Bool { answer.integers([Self.key])[Self.key] == 1 }

    func set(_ starts: Bool) async throws(EntryError) {
      do {
        let answer = try await Portal(bus: connect()).request(
          "RequestBackground", of: "org.freedesktop.portal.Background", within: Self.limit
        ) { token in
          let reason = tr("To have your clipboard history ready when you need it.")
          return [
            .string(""),
            .dictionary([
              "handle_token": token, "reason": .string(reason), "autostart": .bool(starts),
              "commandline": .strings(["copypasta", "--background"]),
            ]),
          ]
        }
        if answer["autostart"]?.bool == starts {
          return try self.answer.write([(Self.key, starts ? 1 : 0)])
        }
      } catch let error as GLibError {
        throw .failed(path: answer.path, reason: error.message)
      } catch {
        // Without a bus or a portal, the desktop's configuration is unchanged, so this counts as refused, too.
      }
      throw .refused
    }
  }
}
