import Foundation
import TestSupport
import Testing

/// The single instance, reached by further launches and D-Bus calls.
@Suite(.keepsPictures, .tags(.survivesOthers)) struct OneProcessTests {
  @Test func `simultaneous launches result in one window and one process`() async throws {
    try await VirtualDesktop.with { desktop in
      let launches = try [[], ["--toggle"], [], ["--toggle"], []].map {
        try desktop.start([CopyPasta.programPath] + $0)
      }
      let window = try await waitFor("a window") {
        try await desktop.window(ofClass: CopyPasta.applicationID)
      }
      try await waitUntil("one process left") { launches.count(where: \.isRunning) == 1 }
      for launch in launches where !launch.isRunning { #expect(launch.exit == .code(0)) }
      #expect(launches.map(\.errors).joined() == "")
      #expect(try await eventually { try await window.isActive() })
      try await desktop.expectOneWindow()
    }
  }

  @Test func `a launch on another display of the same session says where the window is`() async throws {
    try await Scene.run { scene in
      try await VirtualDesktop.with { other in
        let bus = ["DBUS_SESSION_BUS_ADDRESS": scene.desktop.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""]
        let launch = try await other.run([CopyPasta.programPath], environment: bus)
        let display = scene.desktop.environment["DISPLAY"] ?? ""
        #expect(launch.exit == .code(1))
        #expect(
          launch.errors
            == "copypasta: CopyPasta is running on another display and shows its window there: \(display)\n")
      }
    }
  }

  /// Widgets wait 5 s for an accessibility bus that hangs, and 10 s at login.
  @Test func `a launch during a slow start at login shows the window, and one process remains`()
    async throws
  {
    try await VirtualDesktop.with(mostlyWaits: true) { desktop in
      let silent = try await desktop.startSilentAccessibilityBus()
      defer { silent.signal(SIGCONT) }
      let hidden = try desktop.start(
        [CopyPasta.programPath, "--background"], environment: ["GTK_A11Y": ""])
      let launch = try desktop.start([CopyPasta.programPath], environment: ["GTK_A11Y": ""])
      try await waitUntil("the window") { try await desktop.copyPastaWindowCount() == 1 }
      #expect(try await hidden.waitForExit() == .code(0))
      #expect(try await launch.stop(grace: generousLimit) == .code(0))
    }
  }

  @Test func `a hidden start ends the desktop's startup notification`() async throws {
    try await VirtualDesktop.with { desktop in
      let listener = try await desktop.listenForEnd(ofLaunch: "launch-1")
      let program = try desktop.start(
        [CopyPasta.programPath, "--background"], environment: ["DESKTOP_STARTUP_ID": "launch-1_TIME1"])
      try await listener.waitUntil("the end of the notification") { $0 == ["ready", "removed"] }
      try await desktop.waitForName()
      #expect(try await program.stop(grace: generousLimit) == .code(0))
    }
  }

  @Test func `the autostart file names the installed path even after the program file was removed`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      let installed = CopyPasta.programPath + "-\(UInt32.random(in: .min ... .max))"
      try FileManager.default.linkItem(atPath: CopyPasta.programPath, toPath: installed)
      let script = "program=$0; shift; exec \"$program\""
      let app = try await CopyPasta.launch(on: desktop, through: ["/bin/sh", "-c", script, installed])
      try FileManager.default.removeItem(atPath: installed)
      try await desktop.press("ctrl+comma")
      try await Scene(desktop: desktop, app: app).waitForDialog(titled: "Preferences")
      try await desktop.press("alt+s")
      let file = desktop.home.configHome + "/autostart/\(CopyPasta.applicationID).desktop"
      try await waitUntil("the autostart file") { FileManager.default.fileExists(atPath: file) }
      let content = try String(contentsOfFile: file, encoding: .utf8)
      #expect(content.contains("\nExec=\"\(installed)\" --background\n"))
      try await Scene(desktop: desktop, app: app).end()
    }
  }

  @Test func `a D-Bus call starts the program, which refuses invalid calls and exits with its window`()
    async throws
  {
    try await VirtualDesktop.with { desktop in
      try desktop.home.addService(
        CopyPasta.applicationID, command: "'\(CopyPasta.programPath)' --gapplication-service")
      // Pass the display to the bus, as a session does, because programs that the bus starts inherit its environment.
      let update = ["dbus-update-activation-environment", "DISPLAY", "GDK_BACKEND", "GTK_A11Y"]
      #expect(try await desktop.run(update).exit == .code(0))
      for call in [
        ["Activate", "{'activation-token': <[1, 2]>}"], ["ActivateAction", "toggle", "[]", "{}"],
      ] {
        let call = ["org.freedesktop.Application." + call[0]] + call.dropFirst()
        #expect(try await desktop.call(call).exit == .code(0))
        try await waitUntil("the window active") {
          try await CopyPasta.readyWindow(on: desktop) != nil
        }
        for invalid in [
          ["org.gtk.Actions.Activate", "toggle", "[<1>]", "{}"],
          ["org.freedesktop.Application.Open", "['file:///etc/passwd']", "{}"],
          ["org.gtk.Application.CommandLine", "/", "[b'a']", "{}"],
        ] {
          #expect(try await desktop.call(invalid).errors.contains("Error"))
        }
        try await desktop.expectOneWindow()
        try await desktop.press("Escape")
        try await waitUntil("the program exited") { try await !desktop.hasName() }
      }
    }
  }
}

extension VirtualDesktop {
  /// Prints `removed` once the startup notification with this id has ended.
  func listenForEnd(ofLaunch id: String) async throws -> Program {
    let script = """
      from Xlib import X, display
      d = display.Display()
      d.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
      d.sync()
      print('ready', flush=True)
      text = b''
      while b'remove: ID=\(id)' not in text.replace(b'"', b''):
          event = d.next_event()
          if event.type == X.ClientMessage and event.data[0] == 8:
              text += bytes(event.data[1])
      print('removed', flush=True)
      """
    let listener = try start(["/usr/bin/python3", "-c", script])
    try await listener.waitUntil("the listener") { $0 == ["ready"] }
    return listener
  }

  /// Runs the program until it exits.
  func copypasta(_ arguments: String...) async throws -> Program.Result {
    try await run([CopyPasta.programPath] + arguments)
  }

  /// The number of the program's visible windows.
  func copyPastaWindowCount() async throws -> Int {
    try await windowCount(ofClass: CopyPasta.applicationID)
  }

  /// Expects exactly one visible window of the program.
  ///
  /// Retries, because a window is not counted while the window manager is reparenting it.
  func expectOneWindow() async throws {
    var count = 0
    try await waitUntil("one window") {
      "\(count)"
    } _: {
      count = try await copyPastaWindowCount()
      return count == 1
    }
  }

  /// Calls a method of the program's D-Bus object.
  ///
  /// `method` is the interface and name, followed by arguments in GVariant's text format.
  func call(_ method: [String]) async throws -> Program.Result {
    let object = ["--dest", CopyPasta.applicationID, "--object-path", "/org/copypasta/CopyPasta"]
    let call = ["gdbus", "call", "--session"] + object
    return try await run(call + ["--method"] + method)
  }

  /// Whether the program owns its name on the bus.
  func hasName() async throws -> Bool {
    try await run([
      "gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method",
      "org.freedesktop.DBus.NameHasOwner", CopyPasta.applicationID,
    ]).text == "(true,)"
  }

  /// Waits until the program answers on the bus, shortly after it has acquired its name.
  func waitForName() async throws {
    try await waitUntil("the program on the bus") {
      try await call(["org.gtk.Actions.List"]).exit == .code(0)
    }
  }
}
