import TestSupport
import Testing

@testable import GtkKit

@Suite struct ProgramFilesTests {
  @Test func `what is installed is found from where the program lies`() throws {
    let prefix = try Folders("bin", "share")
    #expect(ProgramFiles.folder(ofProgram: prefix.path + "/bin/copypasta") == prefix.path + "/share")
    let checkout = try Folders("release/share")
    let staged = checkout.path + "/release"
    #expect(ProgramFiles.folder(ofProgram: staged + "/copypasta") == staged + "/share")
    let bare = try Folders("release")
    #expect(ProgramFiles.folder(ofProgram: bare.path + "/release/copypasta") == nil)
  }

  @Test func `an installed program is started by its command`() {
    for folder in ["libexec", "lib"] {
      #expect(ProgramFiles.command(ofProgram: "/opt/x/\(folder)/copypasta-gtk") == "/opt/x/bin/copypasta")
    }
    for path in ["/opt/x/bin/copypasta", "/src/.build/debug/copypasta", "/copypasta-gtk"] {
      #expect(ProgramFiles.command(ofProgram: path) == path)
    }
  }

  @Test func `relative paths among the system's folders are ignored`() {
    #expect(Desktop.Folders.absolutePaths(in: "/a:b:./c::/d") == "/a:/d")
    #expect(Desktop.Folders.absolutePaths(in: "a") == "")
    #expect(Desktop.Folders.absolutePaths(in: "/a:/b") == "/a:/b")
  }

  @Test func `the folder is added once, and the user's folders stay`() {
    func folders(_ known: String) -> String { ProgramFiles.dataFolders(with: "/opt/share", before: known) }
    #expect(folders("") == "/opt/share:/usr/local/share/:/usr/share/")
    #expect(folders("/home/ada/share:/usr/share") == "/opt/share:/home/ada/share:/usr/share")
    #expect(folders("/usr/share:/opt/share") == "/usr/share:/opt/share")
    #expect(folders("/opt/share/:/usr/share") == "/opt/share/:/usr/share")
  }
}

/// A folder with folders in it.
private struct Folders {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init(_ names: String...) throws {
    folder = try TemporaryFolder()
    for name in names { try folder.makeFolder(name) }
  }
}
