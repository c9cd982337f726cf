import Foundation

/// The program as a screen reader gets it, by AT-SPI; the desktop must have been started with `accessibility`.
///
///     let reader = ScreenReader(desktop: desktop)
///     #expect(try await reader.tree().all(role: "list item").first?.name.hasPrefix("hello") == true)
public struct ScreenReader: Sendable {
  /// Something in the program, with what is in it.
  public struct Element: Decodable, Sendable {
    /// AT-SPI's name of its kind: `list item`, `push button`.
    public let role: String
    /// The words that the reader says first.
    public let name: String
    /// The words that it says after the role.
    public let description: String
    /// Whether it has the focus.
    public let isFocused: Bool
    /// Whether it can have the focus.
    public let isFocusable: Bool
    /// Whether it can be selected.
    public let isSelectable: Bool
    /// The elements within it, in their order.
    public let children: [Element]

    /// The element and all that is within it, in the order in which a reader comes by.
    public var all: [Element] { [self] + children.flatMap(\.all) }

    /// All elements of a kind.
    public func all(role: String) -> [Element] { all.filter { $0.role == role } }

    /// The element that has the focus; the innermost, if a window says that it has it, too.
    public var focused: Element? { all.last { $0.isFocused } }
  }

  private let desktop: VirtualDesktop
  private var listener: Program?

  /// A reader that looks when it is asked to.
  public init(desktop: VirtualDesktop) { self.desktop = desktop }

  /// A reader that also hears what is said from now on.
  public static func listening(on desktop: VirtualDesktop) async throws -> ScreenReader {
    var reader = ScreenReader(desktop: desktop)
    let listener = try desktop.start(arguments("listen"))
    reader.listener = listener
    try await waitUntil("the screen reader") { listener.lines.first == "listening" }
    return reader
  }

  /// The lines that it heard so far.
  public var heard: [String] { Array((listener?.lines ?? []).dropFirst()) }

  /// All there is now; GTK 4.8 does not tell what of it is on the screen.
  public func tree() async throws -> Element { try await ask("tree") }

  /// Presses the button of this name, by its action.
  public func press(_ name: String) async throws { let _: Bool = try await ask("press " + name) }

  /// How far down in its window the label with this text is, in pixels; in GTK 4.18 about forty less, always the same.
  public func depth(of text: String) async throws -> Int { try await ask("depth " + text) }

  private struct Answer<Value: Decodable>: Decodable {
    let answer: Value?
    let error: String?
  }

  /// Asks the process that looks, which is started for the first question on a desktop and ends with that.
  private func ask<Value: Decodable>(_ question: String) async throws -> Value {
    let path = desktop.home.runtimeDirectory + "/screen-reader"
    if !FileManager.default.fileExists(atPath: path) {
      let process = try desktop.start(Self.arguments("serve", path))
      _ = try await VirtualDesktop.firstLine(of: process)
    }
    let socket = try UnixSocket(to: path)
    try socket.send(try JSONEncoder().encode([question]).dropFirst().dropLast() + Data("\n".utf8))
    let answer = try JSONDecoder().decode(Answer<Value>.self, from: try socket.receiveToEnd())
    guard let value = answer.answer else {
      throw TestSupportError("\(question): \(answer.error ?? "no answer")")
    }
    return value
  }

  private static func arguments(_ rest: String...) -> [String] {
    Fixture.python("screen_reader.py", [CopyPasta.applicationID] + rest)
  }
}
