import Foundation
import TestSupport
import Testing

/// Starts with an unusable history: the window opens, one line is logged, and no file is overwritten.
@Suite(.keepsPictures, .tags(.keepsPrivate)) struct BadStartTests {
  private static let marker = "Zq7-not-for-a-log"

  @Test func `an unusable data folder, or a file in its place, is reported and left unchanged`() async throws
  {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      let reader = ScreenReader(desktop: desktop)
      let file = URL(fileURLWithPath: desktop.home.dataHome + "/copypasta")
      try Data(Self.marker.utf8).write(to: file)
      for dataHome in ["/proc/no-such-folder", desktop.home.dataHome] {
        let app = try await CopyPasta.launch(on: desktop, environment: ["XDG_DATA_HOME": dataHome])
        let page = try await waitFor("the page in place of the history") {
          try await reader.tree().all.first { $0.name == "History Not Available" }
        }
        #expect(page.description.contains("folder"), "\(page.description)")
        let owner = try await ClipboardOwner.start(offering: .text(Self.marker), on: desktop)
        try await desktop.press("Home", "Return", "Delete", "Menu")
        try await desktop.copy("after")
        #expect(try await owner.program.waitForExit() == .code(0))
        #expect(owner.contentRequests == [], "read although there is no history")
        let scene = Scene(desktop: desktop, app: app)
        let other = try await scene.openDragging("source", Self.marker)
        try await scene.drag(from: (150, 100, other.window), to: (200, 300, app.window))
        try await other.program.waitUntil("the end of the drag") { $0.last == "done" }
        #expect(other.program.lines.first == "refused")
        try await scene.close(other)
        #expect(try await app.window.isVisible())
        #expect(try await app.stop() == .code(0))
        let lines = app.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "", "\(app.errors)")
        #expect(!app.errors.contains(Self.marker))
      }
      #expect(try Data(contentsOf: file) == Data(Self.marker.utf8))
    }
  }

  /// A disk in the program's own mount namespace that cannot be written.
  enum Disk: CaseIterable {
    /// Has 256 KiB.
    case full
    case readOnly

    /// Mounts the disk in the history's folder.
    var mounting: String {
      switch self {
      case .full:
        """
        mkdir "$folder-saved"
        mv "$folder/history.sqlite3" "$folder-saved"
        mount -t tmpfs -o size=256k,mode=700 tmpfs "$folder"
        cp "$folder-saved/history.sqlite3" "$folder"
        dd if=/dev/zero of="$folder/filler" bs=4096 2>/dev/null || true
        """
      case .readOnly: #"mount --bind "$folder" "$folder"; mount -o remount,bind,ro "$folder""#
      }
    }

    var reason: String {
      switch self {
      case .full: "The history can’t be changed right now. The disk is full."
      case .readOnly: "The history can’t be changed: its file or folder is read-only."
      }
    }

    /// Makes the disk writable.
    var mending: String {
      switch self {
      case .full: #"rm "$folder/filler""#
      case .readOnly: #"mount -o remount,bind,rw "$folder""#
      }
    }
  }

  @Test(.enabled(if: Requirement.mounts.isMet, "\(Requirement.mounts)"), arguments: Disk.allCases)
  func `on a disk that is full or read-only, rows are shown and copied, and recording resumes when it can`(
    _ disk: Disk
  ) async throws {
    try await VirtualDesktop.with(accessibility: true) { desktop in
      try await Scene.fillHistory(with: ["first", "second"], on: desktop)
      let prefix = "set -e; folder='\(desktop.home.dataHome)/copypasta'\n"
      let app = try await CopyPasta.launch(
        on: desktop, through: ["unshare", "-m", "sh", "-c", prefix + disk.mounting + "\nexec \"$@\"", "sh"],
        environment: ["XDG_DATA_HOME": desktop.home.dataHome])
      let scene = Scene(desktop: desktop, app: app)
      func onDisk(_ command: String...) async throws -> String {
        try await desktop.run(["nsenter", "-m", "-t", "\(app.program.processID)"] + command).text
      }
      let reader = ScreenReader(desktop: desktop)
      try await waitUntil("the message about the disk") {
        try await reader.tree().all.contains { $0.name.hasPrefix(disk.reason) }
      }
      try await scene.clickFirstRow()
      try await scene.expectClipboard("second")
      _ = try await onDisk("sh", "-c", prefix + disk.mending)
      try await desktop.copy("third")
      try await waitUntil("the next text on the disk") {
        try await onDisk("sqlite3", app.databasePath, "SELECT text FROM clip ORDER BY id")
          .split(whereSeparator: \.isWhitespace) == ["first", "second", "third"]
      }
      #expect(try await app.stop() == .code(0))
    }
  }
}
