import GtkKit

/// Storing the window's size for the next start.
extension Window {
  /// Restores the stored size, within limits: not smaller than a row needs, and not larger than any screen.
  func restoreSize(from file: KeyFile) {
    let kept = file.integers(["width", "height", "maximized"])
    defaultSize = (
      (kept["width"] ?? 480).clamped(to: 300...8192), (kept["height"] ?? 640).clamped(to: 200...8192)
    )
    if kept["maximized"] == 1 { isMaximized = true }
  }

  /// Stores the size, unless the file already has it.
  func keepSize(in file: KeyFile) throws(GLibError) {
    let (width, height) = defaultSize
    let size = ["width": width, "height": height, "maximized": isMaximized ? 1 : 0]
    if file.integers(Array(size.keys)) != size { try file.write(Array(size), keepingOthers: true) }
  }
}
