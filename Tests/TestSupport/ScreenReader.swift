import Foundation

/// Reads the program as a screen reader does, through AT-SPI, on a desktop that was started with `accessibility`.
///
///     let reader = ScreenReader(desktop: desktop)
///     #expect(try await reader.tree().all(role: "list item").first?.name.hasPrefix("hello") == true)
public struct ScreenReader: Sendable {
  /// An accessible element of the program.
  public struct Element: Decodable, Sendable {
    /// AT-SPI's name of the role, such as `list item` or `push button`.
    public let role: String
    /// The accessible name, which a screen reader announces first.
    public let name: String
    /// The accessible description, which a screen reader announces after the role.
    public let description: String
    /// Whether the element has the focus.
    public let isFocused: Bool
    /// Whether the element can have the focus.
    public let isFocusable: Bool
    /// Whether the element can be selected.
    public let isSelectable: Bool
    /// The child elements, in order.
    public let children: [Element]

    /// The element and all its descendants, in reading order.
    public var all: [Element] { [self] + children.flatMap(\.all) }

    /// All elements with this role.
    public func all(role: String) -> [Element] { all.filter { $0.role == role } }

    /// The element that has the focus; the innermost one, because a window may report the focus as well.
    public var focused: Element? { all.last { $0.isFocused } }
  }

  private let desktop: VirtualDesktop
  private var listener: Program?

  /// Makes a reader that reads on request.
  public init(desktop: VirtualDesktop) { self.desktop = desktop }

  /// Starts a reader that also records announcements from now on.
  public static func listening(on desktop: VirtualDesktop) async throws -> ScreenReader {
    var reader = ScreenReader(desktop: desktop)
    let listener = try desktop.start(arguments("listen"))
    reader.listener = listener
    try await listener.waitUntil("the screen reader") { $0.first == "listening" }
    return reader
  }

  /// The lines of `screen_reader.py listen` so far: announcements, changed descriptions and `window:activate`.
  public var heard: [String] { Array((listener?.lines ?? []).dropFirst()) }

  /// Waits until something that contains these words was announced.
  public func waitToHear(_ words: String) async throws {
    try await waitUntil("“\(words)” announced") {
      "\(heard)"
    } _: {
      heard.contains { $0.contains(words) }
    }
  }

  /// All elements, including those outside the screen, because GTK 4.8 does not report which ones are on the screen.
  ///
  /// The screen reader's process starts at the first use on a desktop, and ends with it.
  public func tree() async throws -> Element {
    let path = desktop.home.runtimeDirectory + "/screen-reader"
    if !FileManager.default.fileExists(atPath: path) {
      let process = try desktop.start(Self.arguments("serve", path))
      _ = try await VirtualDesktop.firstLine(of: process)
    }
    return try desktop.ask(path, "tree")
  }

  private static func arguments(_ rest: String...) -> [String] {
    Fixture.python("screen_reader.py", [CopyPasta.applicationID] + rest)
  }
}
