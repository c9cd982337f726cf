import Foundation
import Synchronization
import TestSupport
import Testing

/// The installed command, and its option `--toggle`.
@Suite struct ToggleTests {
  // MARK: - The launcher with a script in place of the program

  @Test(arguments: [[], ["--export"], ["--toggle", "--toggle"], ["two words", ""]])
  func `the launcher passes its arguments to the program unchanged, unless the only argument is --toggle`(
    _ arguments: [String]
  ) async throws {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    #expect(try await bus.run([command.path] + arguments).text == InstalledCommand.started(with: arguments))
  }

  @Test func `the launcher finds the program in lib on systems without libexec`() async throws {
    let command = try await InstalledCommand.withScript(in: "lib")
    let bus = try await PrivateBus.start()
    #expect(try await bus.run([command.path]).text == InstalledCommand.started(with: []))
  }

  @Test func `--toggle calls the running instance with the launch's activation token`() async throws {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    let application = try await startApplication("answers", on: bus)
    for (variables, data) in [
      ([], "@a{sv} {}"),
      (["DESKTOP_STARTUP_ID=id"], "{'desktop-startup-id': <'id'>, 'activation-token': <'id'>}"),
      (
        ["XDG_ACTIVATION_TOKEN=token", "DESKTOP_STARTUP_ID=id"],
        "{'desktop-startup-id': <'token'>, 'activation-token': <'token'>}"
      ),
    ] {
      let result = try await bus.run(["env"] + variables + [command.path, "--toggle"])
      #expect(result.exit == .code(0) && result.text == "" && result.errors == "")
      let call = "ActivateAction ('toggle', @av [], \(data))\n"
      #expect(try await eventually { String(decoding: application.output, as: UTF8.self).hasSuffix(call) })
    }
  }

  /// A program that is just starting must not be toggled, because that would hide its window.
  @Test(arguments: [nil, "starts", "ends"])
  func `--toggle starts the program if no instance is ready to toggle`(_ behaviour: String?)
    async throws
  {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    var application: Program?
    if let behaviour { application = try await startApplication(behaviour, on: bus) }
    let result = try await bus.run([command.path, "--toggle"])
    #expect(result.text == InstalledCommand.started(with: []) && result.errors == "")
    try await application?.stop()
  }

  @Test func `after an unexpected D-Bus error the launcher passes --toggle to the program`() async throws {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    let application = try await startApplication("org.freedesktop.DBus.Error.AccessDenied", on: bus)
    #expect(
      try await bus.run([command.path, "--toggle"]).text == InstalledCommand.started(with: ["--toggle"]))
    try await application.stop()
  }

  @Test func `--toggle prints a one-line error if the bus hangs`() async throws {
    let command = try await InstalledCommand.withScript(patience: nil)
    let bus = try await PrivateBus.start()
    bus.signal(SIGSTOP)
    defer { bus.signal(SIGCONT) }
    let result = try await bus.run([command.path, "--toggle"])
    #expect(result.errors == "copypasta: The session bus is not responding.\n")
    #expect(result.exit == .code(1) && result.text == "")
  }

  @Test func `--toggle prints a one-line error if the running instance hangs`() async throws {
    let command = try await InstalledCommand.withScript(patience: .seconds(10))
    let bus = try await PrivateBus.start()
    let application = try await startApplication("hangs", on: bus)
    let result = try await bus.run([command.path, "--toggle"])
    #expect(result.errors == "copypasta: CopyPasta is not responding.\n")
    #expect(result.exit == .code(1) && result.text == "")
    try await application.stop()
  }

  @Test func `the launcher prints a one-line error if the program is missing`() async throws {
    let command = try await InstalledCommand.withScript()
    try FileManager.default.removeItem(atPath: command.program)
    let result = try await PrivateBus.start().run([command.path])
    #expect(result.errors == "copypasta: \(command.program): No such file or directory\n")
    #expect(result.exit == .code(127))
  }

  // MARK: - The launcher with the real program

  /// While the keyboard is grabbed, GTK reports the window as inactive.
  @Test func `--toggle hides the window even while the desktop has grabbed the keyboard`() async throws {
    try await Scene.run(with: ["text"]) { scene in
      let key = try scene.desktop.start(["/usr/bin/python3", "-u", Fixture.path("grab.py"), "keyboard"])
      try await key.waitUntil("the keyboard grabbed") { $0 == ["keyboard"] }
      try await scene.waitUntilInactive()
      try await scene.toggle()
      try await waitUntil("the window hidden") { try await scene.desktop.copyPastaWindowCount() == 0 }
      try await key.stop()
    }
  }

  /// “Clear History?” is left out on Wayland, where GDK warns about the menu that opens it.
  @Test(arguments: [
    (VirtualDesktop.Kind.x11, "Preferences"), (.x11, "Clear History?"), (.wayland, "Preferences"),
  ])
  func `--toggle hides the window and the dialog in front of it, and then shows the window alone`(
    _ kind: VirtualDesktop.Kind, _ dialog: String
  ) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      try await scene.parkMouse()
      // The program keeps running because it owns the clipboard.
      try await scene.desktop.press("Return")
      try await waitUntil("the text offered") { try await scene.desktop.paste() != nil }
      if dialog == "Preferences" {
        try await scene.desktop.press("ctrl+comma")
      } else {
        try await scene.openPopup("F10")
        try await scene.desktop.press("Down", "Return")
      }
      try await scene.waitForDialog(titled: dialog)
      try await scene.toggle()
      try await waitUntil("no window") { try await scene.desktop.copyPastaWindowCount() == 0 }
      try await scene.toggle()
      try await waitUntil("the window in front") {
        try await CopyPasta.readyWindow(on: scene.desktop)?.isActive() == true
      }
      try await scene.desktop.expectOneWindow()
    }
  }

  @Test(arguments: [["--toggle"], []])
  func `the launcher starts an instance if the running instance exits during the call`(_ arguments: [String])
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let command = try await InstalledCommand.ofProgram()
      let ending = try desktop.start(["/usr/bin/python3", "-u", Fixture.path("application.py"), "ends"])
      try await ending.waitUntil("the name taken") { $0 == ["ready"] }
      let program = try desktop.start([command.path] + arguments)
      try await waitUntil("a window") {
        if let exit = program.exit { throw TestSupportError("\(exit): \(program.errors)") }
        return try await CopyPasta.readyWindow(on: desktop) != nil
      }
      #expect(!ending.isRunning, "the running instance was not asked")
      try await desktop.expectOneWindow()
      #expect(try await program.stop(grace: generousLimit) == .code(0))
      #expect(program.errors == "")
    }
  }

  /// The owner keeps the name, but answers each call with the error that the bus sends when an owner has exited.
  @Test(arguments: [["--toggle"], []])
  func `if the owner of CopyPasta's bus name fails every call, the command prints a one-line error`(
    _ arguments: [String]
  )
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let command = try await InstalledCommand.ofProgram()
      let error = "org.freedesktop.DBus.Error.NoReply"
      let other = try desktop.start(["/usr/bin/python3", "-u", Fixture.path("application.py"), error])
      try await other.waitUntil("the name taken") { $0 == ["ready"] }
      let result = try await desktop.run([command.path] + arguments)
      #expect(result.errors == "copypasta: CopyPasta has just quit. Try again.\n")
      #expect(result.exit == .code(1))
      #expect(try await desktop.copyPastaWindowCount() == 0)
      try await other.stop()
    }
  }

  /// Without a bus each press of the key would open another window.
  @Test func `without a session bus --toggle prints one line and shows no window`() async throws {
    try await VirtualDesktop.with { desktop in
      let command = try await InstalledCommand.ofProgram()
      let result = try await desktop.run(
        [command.path, "--toggle"], environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(result.errors == "copypasta: No session bus: --toggle cannot reach a running CopyPasta.\n")
      #expect(result.exit == .code(1))
      #expect(try await desktop.copyPastaWindowCount() == 0)
    }
  }

  private func startApplication(_ behaviour: String, on bus: PrivateBus) async throws -> Program {
    let application = try bus.start(["/usr/bin/python3", "-u", Fixture.path("application.py"), behaviour])
    try await application.waitUntil("the name taken") { $0 == ["ready"] }
    return application
  }
}

/// The command under a prefix of its own, built as Meson builds it.
private struct InstalledCommand {
  private let prefix: TemporaryFolder
  private let folder: String

  var path: String { prefix.path + "/bin/copypasta" }
  var program: String { "\(prefix.path)/\(folder)/copypasta-gtk" }

  /// The command with a script in place of the program; `started(with:)` returns the script's output.
  static func withScript(patience: Duration? = generousLimit, in folder: String = "libexec") async throws
    -> InstalledCommand
  {
    let command = try await InstalledCommand(patience: patience, folder: folder)
    // Write in another process. A child that another test forks from this one could hold the file open for writing,
    // and running it would fail with ETXTBSY.
    let script = #"printf '#!/bin/sh\nprintf started\nprintf " <%%s>" "$@"\n' >"$0" && chmod +x "$0""#
    try await run(script, [command.program])
    return command
  }

  /// The output of the script if started with these arguments.
  static func started(with arguments: [String]) -> String {
    (["started"] + (arguments.isEmpty ? [""] : arguments).map { "<\($0)>" }).joined(separator: " ")
  }

  /// The command with the real program.
  static func ofProgram() async throws -> InstalledCommand {
    let command = try await InstalledCommand(patience: generousLimit, folder: "libexec")
    // Use a link, so that the program still finds its files in the checkout.
    try FileManager.default.createSymbolicLink(
      atPath: command.program, withDestinationPath: CopyPasta.programPath)
    return command
  }

  /// - Parameter patience: how long the command waits for answers; nil for the default. Pass a generous limit where a
  ///   busy machine must not fail the test.
  private init(patience: Duration?, folder: String) async throws {
    prefix = try TemporaryFolder()
    self.folder = folder
    try prefix.makeFolder("bin")
    try prefix.makeFolder(folder)
    try FileManager.default.linkItem(atPath: try await Self.compiled(patience: patience), toPath: path)
  }

  /// The paths of the compiled commands, keyed by `patience`; compiling one takes a quarter of a second.
  private static let commands = Mutex<[Duration?: Task<String, any Error>]>([:])

  private static func compiled(patience: Duration?) async throws -> String {
    let command = commands.withLock { commands in
      if let command = commands[patience] { return command }
      let command = Task {
        let source = Fixture.checkout + "/Sources/copypasta-launcher/main.c"
        let path = try ScratchHome.sharedPath()
        let flags = patience.map { ["-DPATIENCE=\($0.components.seconds * 1000)"] } ?? []
        let compile = #"cc -Wall -Wextra -Werror -o "$0" "$@" $(pkg-config --cflags --libs gio-2.0)"#
        try await run(compile, [path, source] + flags)
        return path
      }
      commands[patience] = command
      return command
    }
    return try await command.value
  }

  private static func run(_ shell: String, _ arguments: [String]) async throws {
    let result = try await Program.run(
      ["bash", "-c", shell] + arguments, environment: ["PATH": "/usr/bin:/bin"])
    guard result.exit == .code(0) else { throw TestSupportError("\(shell): \(result.errors)") }
  }
}
