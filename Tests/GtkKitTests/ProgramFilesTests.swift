import TestSupport
import Testing

@testable import GtkKit

@Suite struct ProgramFilesTests {
  @Test func `data files are found relative to the executable`() throws {
    for (made, program, data) in [
      ("share", "bin/copypasta", "share"), ("release/share", "release/copypasta", "release/share"),
      ("release", "release/copypasta", nil),
    ] {
      let folder = try TemporaryFolder()
      try folder.makeFolder(made)
      let expected = data.map { "\(folder.path)/\($0)" }
      #expect(ProgramFiles.folder(ofProgram: "\(folder.path)/\(program)") == expected)
    }
  }

  @Test func `an installed program's command is its launcher`() {
    for folder in ["libexec", "lib"] {
      #expect(ProgramFiles.command(ofProgram: "/opt/x/\(folder)/copypasta-gtk") == "/opt/x/bin/copypasta")
    }
    for path in ["/opt/x/bin/copypasta", "/src/.build/debug/copypasta", "/copypasta-gtk"] {
      #expect(ProgramFiles.command(ofProgram: path) == path)
    }
  }

  @Test func `relative paths in a list of folders are ignored`() {
    #expect(Desktop.Folders.absolutePaths(in: "/a:b:./c::/d") == "/a:/d")
    #expect(Desktop.Folders.absolutePaths(in: "a") == "")
    #expect(Desktop.Folders.absolutePaths(in: "/a:/b") == "/a:/b")
  }

  @Test func `the program's data folder is put before the other data folders unless already listed`() {
    func folders(_ known: String) -> String { ProgramFiles.dataFolders(with: "/opt/share", before: known) }
    #expect(folders("") == "/opt/share:/usr/local/share/:/usr/share/")
    #expect(folders("/home/ada/share:/usr/share") == "/opt/share:/home/ada/share:/usr/share")
    #expect(folders("/usr/share:/opt/share") == "/usr/share:/opt/share")
    #expect(folders("/opt/share/:/usr/share") == "/opt/share/:/usr/share")
  }
}
