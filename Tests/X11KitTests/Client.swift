import ClipboardCore
import Foundation
import TestSupport
import Testing
import X11Kit

/// Another program on the display, told and heard line by line.
///
/// It is killed with this object.
final class Client {
  private let program: Program
  private let input: Int32
  private let output: Int32
  private var unread = Data()

  init(_ arguments: [String], display: String, input file: URL? = nil) throws {
    let (programsInput, input) = try file.map { (try Self.open($0), -1) } ?? pipe()
    let (output, programsOutput) = try pipe()
    defer {
      close(programsInput)
      close(programsOutput)
    }
    (self.input, self.output) = (input, output)
    program = try Program(
      arguments, environment: ["DISPLAY": display, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
      standardInput: programsInput, standardOutput: programsOutput)
  }

  deinit {
    program.signal(SIGKILL)
    close(output)
    if input >= 0 { close(input) }
  }

  func signal(_ signal: Int32) { program.signal(signal) }

  /// An owner of the clipboard that behaves in the way that a class of `bad_owner.py` names.
  static func owner(_ behaviour: String, display: String) throws -> Client {
    try Client(["/usr/bin/python3", "-u", Fixture.path("bad_owner.py"), behaviour], display: display)
  }

  /// A script in `Fixtures`.
  static func fixture(_ name: String, _ arguments: String..., display: String) throws -> Client {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "Fixtures/\(name).py")
    return try Client(["/usr/bin/python3", "-u", script.path] + arguments, display: display)
  }

  /// The next line that it writes; nil at the end of its output, or if nothing comes within `generousLimit`.
  func nextLine() throws -> String? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard let more = readSome(), !more.isEmpty else { return nil }
      unread += more
    }
  }

  /// All lines to the end of its output, or up to and without `last`.
  func lines(before last: String? = nil) throws -> [String] {
    var lines: [String] = []
    while let line = try nextLine(), line != last { lines.append(line) }
    return lines
  }

  /// All that it writes from now on, when it has ended.
  func bytesToEnd() throws -> [UInt8] {
    var bytes = [UInt8](unread)
    while let more = readSome(), !more.isEmpty { bytes += more }
    return bytes
  }

  /// What there is, as soon as there is something; nothing at the end, nil if nothing comes within `generousLimit`.
  private func readSome() -> Data? {
    var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    // Without a limit, a test that fails would hang instead.
    let limit = Int32(generousLimit.components.seconds * 1000)
    guard retried({ Int(poll(&descriptor, 1, limit)) }) > 0 else { return nil }
    var some = Data(count: 1 << 16)
    let count = some.withUnsafeMutableBytes { buffer in
      retried { read(output, buffer.baseAddress, buffer.count) }
    }
    return count < 0 ? nil : some.prefix(count)
  }

  func tell(_ line: String) throws {
    let line = line + "\n"
    guard retried({ write(input, line, line.utf8.count) }) == line.utf8.count else { throw POSIXError(.EIO) }
  }

  private func retried(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  private static func open(_ file: URL) throws -> Int32 {
    let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
    return descriptor
  }
}

/// What a read came to, so that tables can list contents and errors alike.
enum Outcome: Equatable, Sendable {
  case content(ClipboardContent)
  case failure(TransferError)

  static func text(_ text: String) -> Outcome { .content(.text(Array(text.utf8))) }
}

extension Outcome: CustomTestStringConvertible {
  /// Without the megabytes.
  var testDescription: String {
    if case .content(.text(let bytes)) = self, bytes.count > 40 {
      "a text of \(bytes.count) bytes"
    } else {
      "\(self)"
    }
  }
}

extension SelectionReader {
  /// Reads with limits so wide that a slow machine does not meet them.
  func outcome(
    ownWindow: UInt32? = nil, activeWindow: UInt32? = nil, limit: Int = 128 << 20,
    idleTimeout: Duration = .seconds(60),
    total: Duration = .seconds(120), grace: Duration = .seconds(60), onPurpose: Bool = true
  ) async -> Outcome {
    do {
      return .content(
        try await readText(
          ownWindow: ownWindow, activeWindow: activeWindow,
          within: TransferLimits(bytes: limit, idleTimeout: idleTimeout, total: total, grace: grace),
          onPurpose: onPurpose))
    } catch {
      return .failure(error)
    }
  }
}

/// Bytes that differ from place to place, so that a piece lost, doubled or moved shows.
func sampleText(_ count: Int) -> [UInt8] {
  var text: [UInt8] = []
  text.reserveCapacity(count)
  while text.count < count { text += samplePiece.prefix(count - text.count) }
  return text
}

/// A prime number of bytes, which is the length of no piece that anything is sent in.
private let samplePiece: [UInt8] = {
  var state: UInt32 = 1
  return (0..<65_521).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(ascii: "a") + UInt8(state >> 24) % 26
  }
}()

/// The SHA-256 of some bytes, in hexadecimal digits.
func sha256(_ bytes: [UInt8]) throws -> String {
  let file = FileManager.default.temporaryDirectory.appending(path: "x11kit-\(UUID().uuidString)")
  try Data(bytes).write(to: file)
  defer { unlink(file.path) }
  let answer = try Client(["sha256sum", file.path], display: "").bytesToEnd()
  return String(decoding: answer.prefix(64), as: UTF8.self)
}
