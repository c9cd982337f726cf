import Foundation
import Synchronization
import TestSupport
import Testing

/// The installed command, and its option `--toggle`.
@Suite(.keepsPictures, .tags(.popsUp)) struct ToggleTests {
  // MARK: - The launcher with a script in place of the program

  /// A program that is just starting must not be toggled, because that would hide its window.
  @Test(
    arguments: [
      ([], nil, []), (["--export"], nil, ["--export"]),
      (["--toggle", "--toggle"], nil, ["--toggle", "--toggle"]),
      (["two words", ""], nil, ["two words", ""]), (["--toggle"], nil, []), (["--toggle"], "starts", []),
      (["--toggle"], "ends", []), (["--toggle"], "org.freedesktop.DBus.Error.AccessDenied", ["--toggle"]),
    ] as [([String], String?, [String])])
  func `the launcher passes its arguments to the program, without --toggle if nothing can be toggled`(
    arguments: [String], running behaviour: String?, passed: [String]
  ) async throws {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    var application: Program?
    if let behaviour { application = try await startApplication(behaviour, on: bus) }
    let result = try await bus.run([command.path] + arguments)
    #expect(result.text == InstalledCommand.started(with: passed) && result.errors == "")
    try await application?.stop()
  }

  @Test func `the launcher finds the program in lib, too, and prints a one-line error if it is missing`()
    async throws
  {
    let command = try await InstalledCommand.withScript(in: "lib")
    let bus = try await PrivateBus.start()
    #expect(try await bus.run([command.path]).text == InstalledCommand.started(with: []))
    try FileManager.default.removeItem(atPath: command.program)
    let result = try await bus.run([command.path])
    #expect(result.errors.hasSuffix("/copypasta-gtk: No such file or directory\n"), "\(result.errors)")
    #expect(result.errors.count { $0 == "\n" } == 1 && result.exit == .code(127))
  }

  @Test func `--toggle calls the running instance with the launch's activation token`() async throws {
    let command = try await InstalledCommand.withScript()
    let bus = try await PrivateBus.start()
    let application = try await startApplication("()", on: bus)
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

  /// GTK removes the variables before `main` runs.
  @Test(arguments: ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"])
  func `a second launch passes its activation token to the running instance`(variable: String) async throws {
    try await VirtualDesktop.with { desktop in
      let running = try desktop.start(application("()"))
      try await running.waitUntil("the name taken") { $0 == ["ready"] }
      let launch = try await desktop.run([CopyPasta.programPath], environment: [variable: "token"])
      #expect(launch.exit == .code(0))
      let output = String(decoding: running.output, as: UTF8.self)
      #expect(
        ["desktop-startup-id", "activation-token"].allSatisfy { output.contains("'\($0)': <'token'>") })
      try await running.stop()
    }
  }

  @Test(arguments: [false, true])
  func `--toggle prints a one-line error if the bus or the running instance hangs`(isBusHanging: Bool)
    async throws
  {
    let command = try await InstalledCommand.withScript(patience: isBusHanging ? nil : .seconds(10))
    let bus = try await PrivateBus.start()
    let application = isBusHanging ? nil : try await startApplication("hangs", on: bus)
    if isBusHanging { bus.signal(SIGSTOP) }
    defer { bus.signal(SIGCONT) }
    let result = try await bus.run([command.path, "--toggle"])
    #expect(
      result.errors == "copypasta: \(isBusHanging ? "The session bus" : "CopyPasta") is not responding.\n")
    #expect(result.exit == .code(1) && result.text == "")
    try await application?.stop()
  }

  // MARK: - The launcher with the real program

  /// While the keyboard is grabbed, GTK reports the window as inactive.
  @Test func `--toggle hides the window even while the desktop has grabbed the keyboard`() async throws {
    try await Scene.run(with: ["text"]) { scene in
      let key = try scene.desktop.start(Fixture.python("grab.py"))
      try await key.waitUntil("the keyboard grabbed") { $0 == ["keyboard"] }
      try await scene.waitUntilInactive()
      try await scene.toggle()
      try await waitUntil("the window hidden") { try await scene.desktop.copyPastaWindowCount() == 0 }
      try await key.stop()
    }
  }

  @Test(arguments: [VirtualDesktop.Kind.x11, .wayland])
  func `--toggle hides the window and the dialog in front of it, and then shows the window alone`(
    _ kind: VirtualDesktop.Kind
  ) async throws {
    try await Scene.run(on: kind, with: ["text"]) { scene in
      try await scene.parkMouse()
      // The program keeps running because it owns the clipboard.
      try await scene.desktop.press("Return")
      try await waitUntil("the text offered") { try await scene.desktop.paste() != nil }
      try await scene.openDialog("ctrl+comma", titled: "Preferences")
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
      let ending = try desktop.start(application("ends"))
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
  ///
  /// Without a bus each press of the key would open another window.
  @Test func `the command prints a one-line error if its bus name's owner fails, or without a bus`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let command = try await InstalledCommand.ofProgram()
      let error = "org.freedesktop.DBus.Error.NoReply"
      let other = try desktop.start(application(error))
      try await other.waitUntil("the name taken") { $0 == ["ready"] }
      let address = desktop.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
      let lost = "No session bus: --toggle cannot reach a running CopyPasta."
      for (arguments, bus, words) in [
        (["--toggle"], address, "CopyPasta has just quit. Try again."),
        ([], address, "CopyPasta has just quit. Try again."), (["--toggle"], "unix:path=/nowhere", lost),
      ] {
        let result = try await desktop.run(
          [command.path] + arguments, environment: ["DBUS_SESSION_BUS_ADDRESS": bus])
        #expect(result.errors == "copypasta: \(words)\n")
        #expect(result.exit == .code(1))
        #expect(try await desktop.copyPastaWindowCount() == 0)
      }
      try await other.stop()
    }
  }

  private func startApplication(_ behaviour: String, on bus: PrivateBus) async throws -> Program {
    let application = try bus.start(application(behaviour))
    try await application.waitUntil("the name taken") { $0 == ["ready"] }
    return application
  }

  /// The command that owns the program's name, and answers calls in one way; with "starts", it has no object yet.
  private func application(_ behaviour: String) -> [String] {
    let object = [
      "/org/copypasta/CopyPasta", "org.freedesktop.Application", behaviour, "Activate:a{sv}:",
      "ActivateAction:s av a{sv}:",
    ]
    return Fixture.python("service.py", [CopyPasta.applicationID] + (behaviour == "starts" ? [] : object))
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
        let path = try TemporaryFolder.sharedPath()
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
    try await Program.run(["bash", "-c", shell] + arguments, environment: ["PATH": "/usr/bin:/bin"])
      .succeeded()
  }
}
