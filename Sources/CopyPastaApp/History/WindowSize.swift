import GtkKit

/// The size of the window, as it is kept for the next start.
struct WindowSize: Equatable {
  /// In pixels, without decorations.
  var width: Int
  var height: Int
  var isMaximized: Bool
}

@MainActor
extension WindowSize {
  /// The size that a window has.
  init(of window: Window) {
    (width, height) = window.defaultSize
    isMaximized = window.isMaximized
  }

  /// Gives a window this size.
  func apply(to window: Window) {
    window.defaultSize = (width, height)
    if isMaximized { window.isMaximized = true }
  }
}

extension WindowSize {
  /// Reads what was kept: not smaller than what a row needs, not larger than any screen, whatever the file says.
  init(keptIn file: KeyFile) {
    let values = file.integers(["width", "height", "maximized"])
    width = (values["width"] ?? 480).clamped(to: 300...8192)
    height = (values["height"] ?? 640).clamped(to: 200...8192)
    isMaximized = values["maximized"] == 1
  }

  /// Keeps it for the next start; what is kept already is not written again.
  func keep(in file: KeyFile) throws(GLibError) {
    guard !file.exists || WindowSize(keptIn: file) != self else { return }
    try file.write([("width", width), ("height", height), ("maximized", isMaximized ? 1 : 0)])
  }
}
