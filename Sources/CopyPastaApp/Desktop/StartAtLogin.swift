import GtkKit
import SerialQueue

/// Synchronises the setting "start at login" with the desktop's configuration.
@MainActor
final class StartAtLogin {
  /// The desktop's configuration that starts the program with the session.
  @MainActor
  protocol Entry {
    /// Whether the desktop starts the program; nil if that cannot be queried.
    var isSet: Bool? { get }

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

  private static let key = "starts"

  private let preferences: Preferences
  private let entry: any Entry
  private let agreement: KeyFile?
  private let failed: @MainActor (String) -> Void
  private var observation: ListenerToken?
  /// The value on which the setting and the desktop last agreed; false if they never did.
  private var isSet: Bool {
    didSet {
      guard isSet != oldValue else { return }
      // If this cannot be stored, the next run compares both sides with the old value, and so may choose the side that
      // has not changed.
      do throws(GLibError) { try agreement?.write([(Self.key, isSet ? 1 : 0)]) } catch {}
    }
  }
  /// Applies the setting to the desktop; nil while there is nothing to apply.
  private(set) var work: Task<Void, Never>?

  /// - Parameters:
  ///   - agreement: Stores the value that both sides last agreed on. Nil if settings are not saved; the setting then
  ///     follows the desktop.
  ///   - failed: Called with the reason when the setting had to be reset.
  init(
    _ preferences: Preferences, _ entry: any Entry, agreement: KeyFile?,
    failed: @escaping @MainActor (String) -> Void
  ) {
    self.preferences = preferences
    self.entry = entry
    self.agreement = agreement
    self.failed = failed
    isSet = agreement.map { $0.integers([Self.key])[Self.key] == 1 } ?? preferences[flag: .startsAtLogin]
    observation = preferences.observe(.startsAtLogin, weakly(self) { $0.changed() })
    reconcile()
  }

  /// Reconciles the setting and the desktop: the side that changed since they last agreed wins.
  ///
  /// While the program was not running, the user may have changed the setting, used the desktop's own settings or
  /// removed the autostart file, and an administrator may have set a default.
  func reconcile() {
    guard work == nil else { return }
    let actual = entry.isSet ?? isSet
    // The side that differs from `isSet`, on which both last agreed, has changed. A setting that an administrator has
    // locked always wins.
    let isSettingNewer = actual == isSet || !preferences.isWritable(.startsAtLogin)
    isSet = actual
    if isSettingNewer { changed() } else { preferences[flag: .startsAtLogin] = actual }
  }

  private func changed() {
    // Apply one change at a time. When it is done, `changed` runs again and compares the setting.
    guard work == nil, preferences[flag: .startsAtLogin] != isSet else { return }
    work = Task.unpooled { [self] in
      let wanted = preferences[flag: .startsAtLogin]
      await apply(wanted)
      work = nil
      // If applying fails and the setting is locked, it keeps its value. Do not apply the same value forever.
      if preferences[flag: .startsAtLogin] != wanted { changed() }
    }
  }

  /// Applies the setting to the desktop; if that fails, resets the setting, unless it has changed again.
  private func apply(_ wanted: Bool) async {
    do throws(EntryError) {
      try await entry.set(wanted)
      isSet = wanted
    } catch {
      isSet = entry.isSet ?? isSet
      // Do not report a failure if the user has already changed the setting back.
      guard preferences[flag: .startsAtLogin] == wanted, wanted != isSet else { return }
      preferences[flag: .startsAtLogin] = isSet
      failed(error.message)
    }
  }
}

// MARK: - Desktops without autostart

extension StartAtLogin {
  private static let systemd = RemoteObject(
    name: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
    interface: "org.freedesktop.systemd1.Manager")

  /// Returns why an entry would have no effect on this desktop, and the line to add to a file instead; nil if it works.
  ///
  /// A compositor that is configured in a file ignores the autostart folder. Systemd reads that folder if it has
  /// started the session.
  static func obstacle(on bus: Bus?, in compositor: Compositor? = .current) async -> String? {
    guard let compositor, await !systemdStartsPrograms(bus) else { return nil }
    return tr("Not available: %s starts no programs at login. Add this to %s:").filled(
      with: compositor.name, compositor.startFile) + "\n" + compositor.startLine(for: ShortcutState.program)
  }

  private static func systemdStartsPrograms(_ bus: Bus?) async -> Bool {
    guard let bus else { return false }
    do throws(BusError) {
      let unit = try await bus.call(
        systemd, "GetUnit", [.string("xdg-desktop-autostart.target")], timeout: .seconds(5),
        startsService: false)
      guard let path = unit[0]?.string else { return false }
      let properties = RemoteObject(
        name: systemd.name, path: path, interface: "org.freedesktop.DBus.Properties")
      let state = try await bus.call(
        properties, "Get", [.string("org.freedesktop.systemd1.Unit"), .string("ActiveState")],
        timeout: .seconds(5), startsService: false)
      return state[0]?.unboxed?.string == "active"
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
    private let program: String?

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
      self.program = program
    }

    /// Whether the file exists, was written by this program, and is not disabled by a key that desktops add.
    ///
    /// If the user has no such file, the administrator's file counts. If the program that the file starts no longer
    /// exists, for example because it was moved, rewrites the file.
    var isSet: Bool? {
      guard file.exists else { return isSetBySystem }
      guard isOurs, Self.isEnabled(file) else { return false }
      guard let started = file.string("TryExec"), started.hasPrefix("/"),
        !Desktop.hasProgram(at: started)
      else { return true }
      do throws(GLibError) { try write() } catch { return false }
      return true
    }

    private var isSetBySystem: Bool { systemFiles.first(where: \.exists).map(Self.isEnabled) ?? false }

    private static func isEnabled(_ file: KeyFile) -> Bool {
      file.string("Hidden") != "true" && file.string("X-GNOME-Autostart-enabled") != "false"
    }

    private var isOurs: Bool { file.string(Self.mark) != nil }

    func set(_ starts: Bool) throws(EntryError) {
      guard !file.exists || isOurs else { throw .notOurs(path: file.path) }
      do throws(GLibError) {
        if starts {
          try write()
        } else if isSetBySystem {
          // A hidden file of the user overrides the administrator's file.
          try write(isHidden: true)
        } else {
          try file.remove()
        }
      } catch {
        throw .failed(path: file.path, reason: error.message)
      }
    }

    private func write(isHidden: Bool = false) throws(GLibError) {
      let program = program ?? "copypasta"
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

    /// Returns the bus that the portal is on; tests replace this closure.
    var connect: @MainActor () async throws(BusError) -> Bus = Bus.session
    /// Returns the parent of the portal's dialog.
    var parent: @MainActor () async -> ParentHandle = { .none }

    /// Always nil, because the portal does not report whether the program is started.
    var isSet: Bool? { nil }

    func set(_ starts: Bool) async throws(EntryError) {
      let parent = await parent()
      defer { withExtendedLifetime(parent) {} }
      do {
        let answer = try await Portal(bus: connect()).request(
          "RequestBackground", of: "org.freedesktop.portal.Background", within: Self.limit
        ) { token in
          let reason = tr("To have your clipboard history ready when you need it.")
          return [
            .string(parent.name),
            .dictionary([
              "handle_token": token, "reason": .string(reason), "autostart": .bool(starts),
              "commandline": .strings(["copypasta", "--background"]),
            ]),
          ]
        }
        if answer["autostart"]?.bool == starts { return }
      } catch {
        // Without a bus or a portal, the desktop's configuration is unchanged, so this counts as refused, too.
      }
      throw .refused
    }
  }
}
