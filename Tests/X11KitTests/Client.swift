import ClipboardCore
import Foundation
import TestSupport
import Testing

@testable import X11Kit

/// Another program on the display, which exchanges lines of text with the test.
///
/// It is killed when this object is released.
final class Client {
  private let program: Program
  private let input: Int32
  /// The number of output bytes that were already returned.
  private var heard = 0

  /// - Parameter text: the program's complete input; if nil, the program reads the lines passed to `tell`.
  init(_ arguments: [String], display: String, input text: [UInt8]? = nil) throws {
    let (programsInput, input) = try pipe()
    defer { close(programsInput) }
    self.input = input
    program = try Program(
      arguments, environment: Self.environment(display), input: text ?? [],
      standardInput: text == nil ? programsInput : nil)
  }

  deinit {
    program.signal(SIGKILL)
    close(input)
  }

  /// Starts a clipboard owner with a behaviour of `x11_owner.py`, and waits until it owns the clipboard.
  ///
  /// - Parameter selection: the selection to own instead.
  static func owner(
    _ behaviour: String, of selection: String = "CLIPBOARD", display: String
  ) async throws -> Client {
    let owner = try Client(Fixture.python("x11_owner.py", [behaviour, selection]), display: display)
    #expect(try await owner.nextLine() == "ready")
    return owner
  }

  /// Starts a script from `Fixtures`.
  static func fixture(_ name: String, _ arguments: String..., display: String) throws -> Client {
    let script = Fixture.checkout + "/Tests/X11KitTests/Fixtures/\(name).py"
    return try Client(["/usr/bin/python3", "-u", script] + arguments, display: display)
  }

  fileprivate static func environment(_ display: String) -> [String: String] {
    ["DISPLAY": display, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
  }

  func signal(_ signal: Int32) { program.signal(signal) }

  var hasEnded: Bool { !program.isRunning }

  /// Returns the program's next line; nil if the program exits first, or if no line arrives within `generousLimit`.
  func nextLine() async throws -> String? {
    var line: String?
    _ = try await eventually(every: .milliseconds(1)) {
      let hasEnded = !program.isRunning
      let unread = program.output.dropFirst(heard)
      guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else { return hasEnded }
      line = String(decoding: unread[..<end], as: UTF8.self)
      heard = end + 1
      return true
    }
    return line
  }

  /// Returns all lines until the program exits, or up to but not including `last`.
  func lines(before last: String? = nil) async throws -> [String] {
    var lines: [String] = []
    while let line = try await nextLine(), line != last { lines.append(line) }
    return lines
  }

  func tell(_ line: String) throws {
    let line = line + "\n"
    guard write(input, line, line.utf8.count) == line.utf8.count else { throw POSIXError(.EIO) }
  }
}

/// Windows of another program, which reports the keys typed in them.
final class OtherWindows {
  private let client: Client
  /// The ids of a frame, the window in it, that window's child, and a separate window.
  let all: [UInt32]
  /// The keys that were reported while waiting for the focus.
  private var unread: [String] = []

  init(on display: String) async throws {
    client = try Client.fixture("focus", display: display)
    all = try #require(try await client.nextLine()).split(separator: " ").compactMap { UInt32($0) }
  }

  /// The separate window.
  var window: UInt32 { all[3] }

  /// Gives the focus to a window, the separate one if none is given.
  func focus(_ other: UInt32? = nil) async throws {
    try client.tell("\(other ?? window)")
    while let line = try await client.nextLine(), line != "focused" { unread.append(line) }
  }

  /// Returns the keycode of the next key.
  ///
  /// Skips modifiers, because any focused window receives their releases.
  func nextKey() async throws -> String? {
    while let line = unread.isEmpty ? try await client.nextLine() : unread.removeFirst() {
      let code = line.split(separator: " ").last.map(String.init)
      if let code, !["37", "133", "105", "134", "206"].contains(code) { return code }
    }
    return nil
  }
}

/// Returns everything that a program on the display prints.
func output(of command: [String], display: String) async throws -> [UInt8] {
  try await Program.run(command, environment: Client.environment(display)).output
}

/// Returns the clipboard's text, or another target, as pasted by xclip.
func paste(_ options: String..., display: String) async throws -> [UInt8] {
  try await output(of: ["xclip", "-o", "-selection", "clipboard"] + options, display: display)
}

/// The content or the error of a read, in one type for the arguments of tests.
enum Outcome: Equatable, Sendable {
  case content(ClipboardContent)
  case failure(TransferError)

  static func text(_ text: String) -> Outcome { .content(.text(Array(text.utf8))) }
}

extension Outcome: CustomTestStringConvertible {
  var testDescription: String {
    guard case .content(.text(let bytes)) = self, bytes.count > 40 else { return "\(self)" }
    return "a text of \(bytes.count) bytes"
  }
}

extension X11Selections {
  /// Reads with limits that are sufficient for a slow machine.
  func outcome(
    activeWindow: UInt32? = nil, limit: Int = 128 << 20,
    idleTimeout: Duration = .seconds(60),
    total: Duration = .seconds(120), grace: Duration = .seconds(60), reason: SelectionRead.Reason = .pasted
  ) async -> Outcome {
    let press = ReadPermit()
    press.grant()
    let read = SelectionRead(
      reason, under: reason == .followed ? permit : press, activeWindow: activeWindow,
      within: TransferLimits(bytes: limit, idleTimeout: idleTimeout, total: total, grace: grace))
    do {
      return .content(try await self.read(read))
    } catch {
      return .failure(error)
    }
  }
}

/// Returns a pseudorandom text, in which lost, repeated or moved chunks are detected.
func sampleText(_ count: Int) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(count)
  while text.count < count { text += samplePiece.prefix(count - text.count) }
  return text
}

/// The number of bytes is prime, so that no chunk size is a multiple of this number.
private let samplePiece: [UInt8] = {
  var random = SplitMix(seed: 1)
  return (0..<65_521).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random) }
}()
