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
  private var autostart: StartAtLogin.AutostartFile { .init(folder: folder, program: "/bin/true") }
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

  @Test func `if a compositor ignores autostart files, a message shows the line to add`() async throws {
    let scene = try await BusScene.start()
    let sway = try #require(Compositor.all.first { $0.name == "sway" })
    let start = StartAtLogin(StartAtLogin.AutostartFile(folder: folder))
    try autostart.set(true)
    start.refresh()
    #expect(start.action.isOn && start.action.isEnabled)
    try await pumping { await start.findObstacle(on: scene.client, in: sway) }
    let line = "exec \(CopyPasta.command) --background"
    #expect(start.obstacle?.contains("sway starts no programs") == true)
    #expect(start.obstacle?.hasSuffix("~/.config/sway/config:\n" + line) == true)
    #expect(!start.action.isOn && !start.action.isEnabled)
    try await pumping { await start.findObstacle(on: scene.client, in: nil) }
    #expect(start.obstacle == nil && start.action.isOn)

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
    try await pumping { await start.findObstacle(on: scene.client, in: sway) }
    #expect(start.obstacle == nil)
    withExtendedLifetime(registrations) {}
  }

  @Test func `an autostart file that cannot be written causes an error with its path`() throws {
    try "in the way".write(toFile: home.path + "/config", atomically: true, encoding: .utf8)
    let error = #expect(throws: StartAtLogin.EntryError.self) { try autostart.set(true) }
    #expect(error?.message.contains(file) == true)
  }

  // MARK: What counts as on

  @Test(.tags(.writesNothingUnasked))
  func `the switch is the file: it shows each change of the file, and none is undone`() async throws {
    let start = StartAtLogin(autostart)
    start.action.isOn = true
    await start.queue.drain()
    #expect(start.action.isOn && FileManager.default.fileExists(atPath: file))
    try FileManager.default.removeItem(atPath: file)
    start.refresh()
    #expect(!start.action.isOn && !FileManager.default.fileExists(atPath: file))
    // Another tool starts the program in its own way.
    let others = "[Desktop Entry]\nType=Application\nName=Mine\nExec=copypasta\n"
    try others.write(toFile: file, atomically: true, encoding: .utf8)
    start.refresh()
    #expect(start.action.isOn)
    for starts in [true, false] {
      #expect(throws: StartAtLogin.EntryError.notOurs(path: file)) { try autostart.set(starts) }
    }
    var messages: [String?] = []
    let token = start.outcomes.add { messages.append($0) }
    start.action.isOn = false
    await start.queue.drain()
    #expect(start.action.isOn && messages == [StartAtLogin.EntryError.notOurs(path: file).message])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == others)
    try FileManager.default.removeItem(atPath: file)
    start.action.isOn = false
    await start.queue.drain()
    #expect(messages.count == 2 && messages.last == .some(nil), "the message of the refused change ends")
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [true, false]) func `the setting of CopyPasta 1.2 is adopted once`(_ starts: Bool)
    async throws
  {
    keepSettingsInMemory()
    try await compileSettingsSchemas(Fixture.checkout + "/data", into: home.path)
    let replaced = try #require(SettingsSchema(CopyPasta.id + ".Replaced", compiledIn: home.path))
    let settings = Settings(replaced, initially: ["start-at-login": .bool(false)])
    try autostart.set(!starts)
    let start = StartAtLogin(autostart)
    start.adoptReplacedSetting(replaced)
    #expect(autostart.isSet == !starts, "the setting has its default")
    settings.set("start-at-login", to: .bool(true))
    settings.set("start-at-login", to: .bool(starts))
    for _ in 1...2 {
      start.adoptReplacedSetting(replaced)
      await start.queue.drain()
      #expect(autostart.isSet == starts && settings.userValue(of: "start-at-login") == nil)
    }
    try autostart.set(!starts)
    start.adoptReplacedSetting(replaced)
    await start.queue.drain()
    #expect(autostart.isSet == !starts)
  }

  @Test(arguments: ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
  func `an autostart file that the desktop disabled counts as off`(_ line: String) throws {
    try autostart.set(true)
    #expect(autostart.isSet)
    let content = try String(contentsOfFile: file, encoding: .utf8)
    try (content + line + "\n").write(toFile: file, atomically: true, encoding: .utf8)
    #expect(!autostart.isSet)
    try autostart.set(true)
    #expect(autostart.isSet)
  }

  @Test func `an administrator's autostart file counts as on, and a hidden file turns it off`() throws {
    let folders = [home.path + "/etc", home.path + "/usr"]
    try StartAtLogin.AutostartFile(folder: folders[1]).set(true)
    let autostart = StartAtLogin.AutostartFile(folder: folder, systemFolders: folders)
    #expect(autostart.isSet)
    try autostart.set(false)
    #expect(!autostart.isSet)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\nHidden=true\n"))
  }

  @Test func `a file whose program no longer exists counts as off, until it is switched on`() throws {
    try StartAtLogin.AutostartFile(folder: folder, program: home.path + "/gone/copypasta").set(true)
    #expect(!autostart.isSet)
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains("/gone/copypasta"))
    try autostart.set(true)
    #expect(autostart.isSet)
  }

  // MARK: In a sandbox

  @Test(arguments: [FakePortal.Answer.granted, .refused])
  func `in a sandbox, the switch shows what the portal has granted, also after a restart`(
    _ answer: FakePortal.Answer
  ) async throws {
    let fake = try await FakePortal()
    try await fake.start()
    fake.answers["RequestBackground"] = answer
    let isGranted = answer == .granted
    let portal = StartAtLogin.BackgroundPortal(
      answer: KeyFile(path: home.path + "/state/start-at-login.ini", group: "start-at-login")
    ) { fake.client }
    let start = StartAtLogin(portal)
    var messages: [String?] = []
    let token = start.outcomes.add { messages.append($0) }
    start.action.isOn = true
    #expect(!start.action.isOn, "not before the portal's answer")
    try await pumping { await start.queue.drain() }
    #expect(start.action.isOn == isGranted && portal.isSet == isGranted)
    #expect(messages == (isGranted ? [nil] : [StartAtLogin.EntryError.refused.message]))
    let options = fake.arguments["RequestBackground"]?[1]?.dictionary
    #expect(options?["autostart"]?.bool == true)
    #expect(options?["commandline"]?.strings == ["copypasta", "--background"])
    withExtendedLifetime(token) {}
  }

  private func run(_ arguments: [String]) async throws -> Program.Result {
    try await Program.run(arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
  }
}
