import GtkKit
import SerialQueue

/// Makes the start at login follow the setting, and the setting follow what the desktop really does.
@MainActor
final class StartAtLogin {
  /// Something that makes the desktop start the program with the session.
  @MainActor
  protocol Entry {
    /// Whether the desktop starts the program; nil if that cannot be seen.
    var isSet: Bool? { get }

    /// Makes the desktop start the program with the session, or not any more.
    func set(_ starts: Bool) async throws(EntryError)
  }

  /// Why the start at login could not be set.
  enum EntryError: Error, Equatable {
    /// The file in the way was not made by this program.
    case notOurs(path: String)
    /// The desktop, or the user when it asked, did not allow it.
    case refused
    /// The file could not be written or removed.
    case failed(path: String, reason: String)

    var message: String {
      switch self {
      case .notOurs(let path):
        tr(
          "Start at login was not changed: “%s” was not made by CopyPasta. Move that file away, then try again."
        )
        .filled(with: path)
      case .refused: tr("Start at login was not changed: the desktop did not allow the change.")
      case .failed(let path, let reason):
        tr("Start at login could not be changed: “%s”: %s").filled(with: path, reason)
      }
    }
  }

  /// The key under which the agreement is kept.
  private static let key = "starts"

  private let preferences: Preferences
  private let entry: any Entry
  private let agreement: KeyFile?
  private let failed: @MainActor (String) -> Void
  private var observation: ListenerToken?
  /// Whether the start was last achieved: setting and desktop agreed on it; false at first.
  private var isSet: Bool {
    didSet {
      guard isSet != oldValue else { return }
      // If this cannot be kept, the next start takes a setting or a desktop that starts the program for the newer one.
      do throws(GLibError) { try agreement?.write([(Self.key, isSet ? 1 : 0)]) } catch {}
    }
  }
  /// The question that the desktop is being asked; nil if nothing is.
  private(set) var work: Task<Void, Never>?

  /// - Parameters:
  ///   - agreement: keeps from one start to the next what was last achieved; nil where settings are not kept, which
  ///     then follow the desktop.
  ///   - failed: called with the reason if the setting went back.
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

  /// Brings setting and desktop together again: the last change wins, whoever made it.
  ///
  /// While the program did not run, the desktop's own settings may have changed the start at login, the file may have
  /// been removed, and the setting may have been changed; it may also have an administrator's default.
  func reconcile() {
    guard work == nil else { return }
    let actual = entry.isSet ?? isSet
    // The side that differs from what both agreed on was changed since. A setting that an administrator has locked
    // holds.
    let isSettingNewer = actual == isSet || !preferences.isWritable(.startsAtLogin)
    isSet = actual
    if isSettingNewer { changed() } else { preferences[flag: .startsAtLogin] = actual }
  }

  private func changed() {
    // The desktop is asked one question at a time: the setting is looked at again when this one is answered.
    guard work == nil, preferences[flag: .startsAtLogin] != isSet else { return }
    work = Task.unpooled { [self] in
      await applySetting()
      work = nil
      changed()
    }
  }

  /// Does what the setting says; the setting goes back if that fails, unless it has been changed meanwhile.
  private func applySetting() async {
    let wanted = preferences[flag: .startsAtLogin]
    do throws(EntryError) {
      try await entry.set(wanted)
      isSet = wanted
    } catch {
      isSet = entry.isSet ?? isSet
      // If the user has changed it back meanwhile, nothing has failed.
      guard preferences[flag: .startsAtLogin] == wanted, wanted != isSet else { return }
      preferences[flag: .startsAtLogin] = isSet
      failed(error.message)
    }
  }
}

// MARK: - The two ways

extension StartAtLogin {
  /// Starting hidden with the user's session, by a file in the autostart folder (Desktop Application Autostart
  /// Specification).
  @MainActor
  struct AutostartFile: Entry {
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
    /// A file that starts a program which is there no more, as after a move, is written anew.
    var isSet: Bool? {
      guard isOurs, file.string("Hidden") != "true", file.string("X-GNOME-Autostart-enabled") != "false"
      else {
        return false
      }
      guard let started = file.string("TryExec"), started.hasPrefix("/"),
        !Desktop.hasProgram(at: started)
      else { return true }
      do throws(GLibError) { try write() } catch { return false }
      return true
    }

    private var isOurs: Bool { file.string(Self.mark) != nil }

    /// Writes or removes the file.
    func set(_ starts: Bool) throws(EntryError) {
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
        ("Exec", Self.quoted(program) + " --background"), ("Terminal", "false"), (Self.mark, "true"),
      ])
    }

    /// A word of a command line in a desktop file (Desktop Entry Specification): nothing in it is taken for a quote, a
    /// variable or a field code.
    private static func quoted(_ word: String) -> String {
      let special: [Character] = ["\"", "`", "$", "\\"]
      let escaped = word.map { special.contains($0) ? "\\\($0)" : $0 == "%" ? "%%" : String($0) }
      return "\"" + escaped.joined() + "\""
    }
  }

  /// Starting hidden with the user's session, asked of the desktop by the Background portal: in a sandbox, from which
  /// the autostart folder is out of reach.
  @MainActor
  struct BackgroundPortal: Entry {
    /// How long an answer may take: the user may be asked.
    private static let limit = Duration.seconds(120)

    /// The bus that the portal is on.
    var connect: @MainActor () async throws(BusError) -> Bus = Bus.session

    /// Nil: the portal does not tell.
    var isSet: Bool? { nil }

    /// - Throws: `refused` if the start at login stays as it is.
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
        if answer["autostart"]?.bool == starts { return }
      } catch {
        // Without a bus or a portal the start at login stays as it is, too.
      }
      throw .refused
    }
  }
}
