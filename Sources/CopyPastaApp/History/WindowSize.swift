import GtkKit

/// The size of the window, as it is kept for the next start.
extension Window {
  /// Gives the window the size that was kept: not smaller than what a row needs, not larger than any screen.
  func restoreSize(from file: KeyFile) {
    let kept = file.integers(["width", "height", "maximized"])
    defaultSize = (
      (kept["width"] ?? 480).clamped(to: 300...8192), (kept["height"] ?? 640).clamped(to: 200...8192)
    )
    if kept["maximized"] == 1 { isMaximized = true }
  }

  /// Keeps the size for the next start; what is kept already is not written again.
  func keepSize(in file: KeyFile) throws(GLibError) {
    let (width, height) = defaultSize
    let size = ["width": width, "height": height, "maximized": isMaximized ? 1 : 0]
    if file.integers(Array(size.keys)) != size { try file.write(Array(size), keepingOthers: true) }
  }
}
