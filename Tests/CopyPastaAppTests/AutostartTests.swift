import Foundation
import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// The file that starts the program with the session.
@MainActor
@Suite struct AutostartTests {
  private let home: TemporaryFolder
  private var folder: String { home.path + "/config/autostart" }
  private var file: String { folder + "/org.copypasta.CopyPasta.desktop" }

  init() throws { home = try TemporaryFolder() }

  @Test func itIsWrittenAndRemoved() throws {
    let autostart = Autostart(folder: folder, program: "/opt/copypasta")
    try autostart.set(true)
    let content = try String(contentsOfFile: file, encoding: .utf8)
    #expect(content.hasPrefix("[Desktop Entry]\nType=Application\n"))
    #expect(content.contains("\nExec=\"/opt/copypasta\" --background\n"))
    #expect(content.contains("\nTryExec=/opt/copypasta\n"))
    // Again, with nothing left beside it: it is replaced in one step.
    try autostart.set(true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    try autostart.set(false)
    #expect(!FileManager.default.fileExists(atPath: file))
    try autostart.set(false)
  }

  @Test(arguments: ["/opt/my apps/copypasta", #"/a"b`c$d\e%f/copypasta"#])
  func theDesktopReadsTheProgramsPathAsItIs(_ program: String) async throws {
    try Autostart(folder: folder, program: program).set(true)
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

  @Test func whatSomebodyElsePutThereStays() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let others = "[Desktop Entry]\nType=Application\nName=Mine\nExec=mine\n"
    try others.write(toFile: file, atomically: true, encoding: .utf8)
    let autostart = Autostart(folder: folder, program: "/opt/copypasta")
    for starts in [true, false] {
      #expect(throws: AutostartError.notOurs(path: file)) { try autostart.set(starts) }
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == others)
  }

  @Test func whereItCannotBeWrittenItSaysSo() throws {
    try "in the way".write(toFile: home.path + "/config", atomically: true, encoding: .utf8)
    let autostart = Autostart(folder: folder, program: "/opt/copypasta")
    let error = #expect(throws: AutostartError.self) { try autostart.set(true) }
    #expect(error?.message.contains(file) == true)
  }

  @Test(arguments: [true, false])
  func inASandboxThePortalIsAsked(_ starts: Bool) async throws {
    let fake = try await FakePortal()
    try await fake.start()
    try await pumping { try await AutostartPortal(Portal(fake.client)).set(starts) }
    let options = fake.arguments["RequestBackground"]?[1]?.dictionary
    #expect(options?["autostart"]?.bool == starts)
    #expect(options?["commandline"]?.strings == ["copypasta", "--background"])
  }

  @Test(arguments: [FakePortal.Answer.refused, .failed, .error, .nonsense])
  func aPortalThatSaysNoIsToldOf(_ answer: FakePortal.Answer) async throws {
    let fake = try await FakePortal()
    fake.answers["RequestBackground"] = answer
    try await fake.start()
    await #expect(throws: AutostartError.refused) {
      try await pumping { try await AutostartPortal(Portal(fake.client)).set(true) }
    }
  }

  private func run(_ arguments: [String]) async throws -> Program.Result {
    try await Program.run(arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
  }
}
