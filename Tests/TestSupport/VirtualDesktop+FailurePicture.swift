import Foundation
import Synchronization

extension VirtualDesktop {
  /// The desktop and the name of the test that runs in this task.
  @TaskLocal static var current: (desktop: VirtualDesktop, test: String)?

  /// Takes a picture of the current test's screen, if it has one.
  public static func keepPicture() {
    if let current { keepPicture(of: current.desktop, current.test) }
  }

  /// Takes a picture of a failed test's screen, into the folder `COPYPASTA_PICTURES` if that is set.
  ///
  /// Blocks, so that the picture shows the moment of the failure. GNOME and KDE have no program for it.
  static func keepPicture(of desktop: VirtualDesktop, _ test: String) {
    guard let folder = ProcessInfo.processInfo.environment["COPYPASTA_PICTURES"] else { return }
    let words = test.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-").prefix(100)
    let number = pictures.add(1, ordering: .relaxed).newValue
    let file = "\(folder)/\(words)-\(desktop.kind)-\(number).png"
    let camera = desktop.kind == .x11 ? ["import", "-silent", "-window", "root", file] : ["grim", file]
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // The display may hang on purpose.
      let isTaken = succeeds(
        ["/usr/bin/env", "timeout", "10"] + camera,
        environment: desktop.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 })
      print(isTaken ? "Picture: \(file)" : "No picture of the screen could be taken: \(test)")
    } catch { print("No picture of the screen: \(error)") }
  }

  private static let pictures = Atomic(0)
}
