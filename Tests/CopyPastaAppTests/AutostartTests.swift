import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// The file that starts the program at login.
@MainActor
@Suite struct AutostartTests {
  private let home: TemporaryFolder
  private var folder: String { home.path + "/config/autostart" }
  private var file: String { folder + "/org.copypasta.CopyPasta.desktop" }

  init() throws { home = try TemporaryFolder() }

  @Test func `the autostart file is written, replaced and removed`() throws {
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/opt/copypasta")
    try autostart.set(true)
    let content = try String(contentsOfFile: file, encoding: .utf8)
    #expect(content.hasPrefix("[Desktop Entry]\nType=Application\n"))
    #expect(content.contains("\nExec=\"/opt/copypasta\" --background\n"))
    #expect(content.contains("\nTryExec=/opt/copypasta\n"))
    // Writing again replaces the file atomically and leaves no other file.
    try autostart.set(true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    try autostart.set(false)
    #expect(!FileManager.default.fileExists(atPath: file))
    try autostart.set(false)
  }

  @Test(arguments: ["/opt/my apps/copypasta", #"/a"b`c$d\e%f/copypasta"#])
  func `a program path with special characters is escaped in the autostart file`(_ program: String)
    async throws
  {
    try StartAtLogin.AutostartFile(folder: folder, program: program).set(true)
    let check = try await run(["desktop-file-validate", file])
    #expect(check.exit == .code(0), "\(check.text)")
    let script = """
      import gi; gi.require_version("Gio", "2.0")
      from gi.repository import GLib
      f = GLib.KeyFile(); f.load_from_file("\(file)", 0)
      print(GLib.shell_parse_argv(f.get_string("Desktop Entry", "Exec").replace("%%", "%"))[1][0])
      """
    #expect(try await run(["/usr/bin/python3", "-c", script]).text == program)
  }

  @Test func `if a compositor ignores autostart files, a message shows the line for its configuration`()
    async throws
  {
    let scene = try await BusScene.start()
    let sway = try #require(Compositor.all.first { $0.name == "sway" })
    let message = try await pumping { await StartAtLogin.obstacle(on: scene.client, in: sway) }
    let line = sway.startLine(for: ShortcutState.program)
    #expect(
      message?.contains("sway") == true && message?.hasSuffix("~/.config/sway/config:\n" + line) == true)
    #expect(try await pumping { await StartAtLogin.obstacle(on: scene.client, in: nil) } == nil)

    // A session that was started with systemd reads the autostart folder.
    let systemd = "org.freedesktop.systemd1"
    let unit = try #require(Variant.objectPath("/unit"))
    let registrations = [
      try scene.service.export(
        "<node><interface name='\(systemd).Manager'><method name='GetUnit'><arg type='s'/>"
          + "<arg type='o' direction='out'/></method></interface></node>",
        at: "/org/freedesktop/systemd1", methods: ["GetUnit": { _ in [unit] }]),
      try scene.service.export(
        "<node><interface name='\(systemd).Unit'><property name='ActiveState' type='s' access='read'/>"
          + "</interface></node>",
        at: "/unit", properties: ["ActiveState": { .string("active") }]),
      scene.service.ownName(systemd),
    ]
    try await scene.settle()
    #expect(try await pumping { await StartAtLogin.obstacle(on: scene.client, in: sway) } == nil)
    withExtendedLifetime(registrations) {}
  }

  @Test func `another program's autostart file is not changed`() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let others = "[Desktop Entry]\nType=Application\nName=Mine\nExec=mine\n"
    try others.write(toFile: file, atomically: true, encoding: .utf8)
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/opt/copypasta")
    for starts in [true, false] {
      #expect(throws: StartAtLogin.EntryError.notOurs(path: file)) { try autostart.set(starts) }
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == others)
  }

  @Test func `an autostart file that cannot be written causes an error with its path`() throws {
    try "in the way".write(toFile: home.path + "/config", atomically: true, encoding: .utf8)
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/opt/copypasta")
    let error = #expect(throws: StartAtLogin.EntryError.self) { try autostart.set(true) }
    #expect(error?.message.contains(file) == true)
  }

  // MARK: Agreement between setting and file

  /// Each `StartAtLogin` stands for one run of the program.
  ///
  /// The state on which the setting and the file last agreed is stored between runs.
  /// Each instance is released before the next instance starts, because both would react to the same changes.
  @Test func `the last change to the start-at-login setting or the autostart file wins`() async throws {
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/bin/true")
    let preferences = Preferences(schema: nil)
    // The setting may come from gsettings or from an administrator's default.
    preferences[flag: .startsAtLogin] = true
    var start: StartAtLogin? = startAtLogin(preferences, autostart)
    await start?.work?.value
    #expect(preferences[flag: .startsAtLogin] && autostart.isSet == true)
    try FileManager.default.removeItem(atPath: file)
    start?.reconcile()
    #expect(!preferences[flag: .startsAtLogin], "the file was removed")
    try autostart.set(true)
    start = nil
    start = startAtLogin(preferences, autostart)
    #expect(preferences[flag: .startsAtLogin], "the file was added")
    start = nil
    start = startAtLogin(Preferences(schema: nil), autostart)
    await start?.work?.value
    #expect(autostart.isSet == false, "the setting is off")
    start = nil
    start = startAtLogin(preferences, autostart)
    await start?.work?.value
    #expect(autostart.isSet == true)
    try FileManager.default.removeItem(atPath: file)
    start = nil
    start = startAtLogin(preferences, autostart)
    #expect(!preferences[flag: .startsAtLogin], "the file was removed while the program did not run")
    withExtendedLifetime(start) {}
  }

  @Test func `the start-at-login setting follows the autostart file if settings are not saved`() throws {
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/bin/true")
    try autostart.set(true)
    let preferences = Preferences(schema: nil)
    let start = StartAtLogin(preferences, autostart, agreement: nil) { Issue.record("\($0)") }
    #expect(preferences[flag: .startsAtLogin] && autostart.isSet == true)
    withExtendedLifetime(start) {}
  }

  private func startAtLogin(
    _ preferences: Preferences, _ entry: any StartAtLogin.Entry,
    failed: @escaping @MainActor (String) -> Void = { Issue.record("\($0)") }
  ) -> StartAtLogin {
    let agreement = KeyFile(path: home.path + "/state/start-at-login.ini", group: "start-at-login")
    return StartAtLogin(preferences, entry, agreement: agreement, failed: failed)
  }

  @Test(arguments: ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
  func `an autostart file that the desktop disabled counts as off`(_ line: String) throws {
    let autostart = StartAtLogin.AutostartFile(folder: folder, program: "/bin/true")
    try autostart.set(true)
    #expect(autostart.isSet == true)
    let content = try String(contentsOfFile: file, encoding: .utf8)
    try (content + line + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(autostart.isSet == false)
    try autostart.set(true)
    #expect(autostart.isSet == true)
  }

  @Test func `an administrator's autostart file counts as on, and a hidden file turns it off`() throws {
    let folders = [home.path + "/etc", home.path + "/usr"]
    try StartAtLogin.AutostartFile(folder: folders[1]).set(true)
    let autostart = StartAtLogin.AutostartFile(folder: folder, systemFolders: folders)
    #expect(autostart.isSet == true)
    try autostart.set(false)
    #expect(autostart.isSet == false)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\nHidden=true\n"))
  }

  @Test func `the autostart file is updated if its program no longer exists`() throws {
    try StartAtLogin.AutostartFile(folder: folder, program: home.path + "/gone/copypasta").set(true)
    #expect(StartAtLogin.AutostartFile(folder: folder, program: "/bin/true").isSet == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\nTryExec=/bin/true\n"))
    // The file is not changed if its program exists.
    #expect(StartAtLogin.AutostartFile(folder: folder, program: "/bin/false").isSet == true)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\nTryExec=/bin/true\n"))
  }

  // MARK: In a sandbox

  @Test func `a portal's refusal resets start at login; one message is shown if it is locked`() async throws {
    keepSettingsInMemory()
    let fake = try await FakePortal()
    try await fake.start()
    fake.answers["RequestBackground"] = .refused
    let preferences = Preferences(schema: nil)
    var messages: [String] = []
    let start = startAtLogin(preferences, StartAtLogin.BackgroundPortal { fake.client }) {
      messages.append($0)
    }
    preferences[flag: .startsAtLogin] = true
    try await pump("the message") { messages == [StartAtLogin.EntryError.refused.message] }
    #expect(!preferences[flag: .startsAtLogin])
    fake.answers["RequestBackground"] = .granted
    preferences[flag: .startsAtLogin] = true
    try await pump("the second request") { fake.calls.count == 2 }
    // The portal does not report its state, so the last granted value counts.
    try await pump("the answer") { start.work == nil }
    start.reconcile()
    #expect(preferences[flag: .startsAtLogin] && messages.count == 1)
    // Its key has another type, so the setting cannot be reset, as if an administrator had locked it.
    try home.write(
      "<schemalist><schema id='\(CopyPasta.id)' path='/org/copypasta/CopyPasta/'>"
        + "<key name='start-at-login' type='s'><default>''</default></key></schema></schemalist>",
      to: "locked.gschema.xml")
    try await compileSettingsSchemas(home.path, into: home.path)
    fake.answers["RequestBackground"] = .refused
    let locked = Preferences(schema: SettingsSchema(CopyPasta.id, compiledIn: home.path))
    let lockedStart = startAtLogin(locked, StartAtLogin.BackgroundPortal { fake.client }) {
      messages.append($0)
      if messages.count > 2 { fake.answers["RequestBackground"] = .granted }
    }
    try await pump("the refusal") { lockedStart.work == nil }
    #expect(messages.count == 2 && fake.calls.count == 3 && !locked[flag: .startsAtLogin])
  }

  @Test(arguments: [FakePortal.Answer.granted, .refused])
  func `a start-at-login change during a portal request is kept, unless the portal refuses the change`(
    _ answer: FakePortal.Answer
  ) async throws {
    let fake = try await FakePortal()
    try await fake.start()
    fake.answers["RequestBackground"] = .silence
    let preferences = Preferences(schema: nil)
    var messages: [String] = []
    let start = startAtLogin(preferences, StartAtLogin.BackgroundPortal { fake.client }) {
      messages.append($0)
    }
    preferences[flag: .startsAtLogin] = true
    try await pump("the request") { fake.calls.count == 1 }
    preferences[flag: .startsAtLogin] = false
    fake.answers["RequestBackground"] = answer
    fake.respond(to: fake.requests[0], [.uint32(0), .dictionary(["autostart": .bool(true)])])
    try await pump("the second request") { fake.calls.count == 2 }
    let options = fake.arguments["RequestBackground"]?[1]?.dictionary
    #expect(options?["autostart"]?.bool == false)
    #expect(options?["commandline"]?.strings == ["copypasta", "--background"])
    try await pump("the answer") { start.work == nil }
    #expect(preferences[flag: .startsAtLogin] == (answer == .refused))
    #expect(messages == (answer == .refused ? [StartAtLogin.EntryError.refused.message] : []))
    withExtendedLifetime(start) {}
  }

  private func run(_ arguments: [String]) async throws -> Program.Result {
    try await Program.run(arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
  }
}
