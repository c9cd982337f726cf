import Foundation

/// The requests that a program has sent to its compositor, from libwayland's log for `WAYLAND_DEBUG=1`.
public struct WaylandLog {
  /// One appearance of a window, from when it is shown until it is hidden.
  public struct Showing: Sendable {
    /// The number of frames that were drawn, counted by their buffers.
    public fileprivate(set) var buffers = 0
  }

  /// All windows that were shown, in order.
  public private(set) var showings: [Showing] = []

  /// Parses a log, ignoring lines that are not requests.
  public init(_ text: String) {
    // Old format: [1234.567]  -> xdg_wm_base@7.get_xdg_surface(new id xdg_surface@29, wl_surface@9)
    // New format: [18:13:43.776649] {Default Queue}  -> xdg_wm_base#7.get_xdg_surface(…#…)
    let message = /^\[[ \d.:]+\] (?:\{.*?\} )? ?-> (\w+[@#]\d+)\.(\w+)\((.*)\)$/
    var surfaces: [Substring: Substring] = [:]
    var shown: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      guard let (_, object, request, arguments) = line.firstMatch(of: message)?.output else { continue }
      switch request {
      case "get_xdg_surface":
        guard let (_, role, surface) = arguments.firstMatch(of: /new id (\w+[@#]\d+), (\w+[@#]\d+)/)?.output
        else { continue }
        surfaces[role] = surface
      case "get_toplevel":
        guard let surface = surfaces[object] else { continue }
        shown[surface] = showings.count
        showings.append(Showing())
      case "attach":
        guard let window = shown[object] else { continue }
        if arguments.hasPrefix("nil") { shown[object] = nil } else { showings[window].buffers += 1 }
      case "destroy": shown[object] = nil
      default: continue
      }
    }
  }
}
