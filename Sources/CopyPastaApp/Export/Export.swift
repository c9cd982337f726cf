import ClipHistory
import Glibc
import GtkKit

/// The whole history as JSON lines, oldest first: an object a line, with `captured_at` and `text`.
///
/// It needs no display and writes nothing to the history; the program may run meanwhile. Of the texts one is in memory
/// at a time.
enum Export {
  /// Writes the history to a file descriptor, and says in one line what failed.
  ///
  /// - Returns: the exit status.
  static func run(_ location: HistoryLocation, to descriptor: Int32) -> Int32 {
    // If nothing was ever recorded there is nothing to write, which is no failure.
    guard !location.isVacant else { return 0 }
    do {
      try write(location, to: descriptor)
      return 0
    } catch {
      if let message = message(about: error) { complain(message) }
      return 1
    }
  }

  private static func message(about error: any Error) -> String? {
    switch error {
    case let error as StoreError: tr("Not exported.") + " " + error.message
    case OutputBuffer.WriteError.failed(let code):
      tr("Not exported: the output could not be written (%s).").filled(with: String(cString: strerror(code)))
    default: nil  // Whoever read it, such as `head`, has seen enough.
    }
  }

  private static func write(_ location: HistoryLocation, to descriptor: Int32) throws {
    let clips = try ClipCursor(location: location)
    var output = OutputBuffer(descriptor: descriptor)
    // What can be read beside a damage is written as well.
    var damage: StoreError?
    while true {
      do {
        guard let clip = try clips.next() else { break }
        try output.append(clip)
      } catch let error as StoreError {
        damage = error
        guard clips.canGoOn else { break }
      }
    }
    try output.flush()
    if let damage { throw damage }
  }
}

extension OutputBuffer {
  fileprivate mutating func append(_ clip: Clip.Whole) throws(OutputBuffer.WriteError) {
    try append(#"{"captured_at":"#.utf8)
    try append((clip.capturedAt == 0 ? "null" : "\"\(Format.iso8601(clip.capturedAt))\"").utf8)
    try append(#","text":"#.utf8)
    try append(jsonString: clip.text.bytes)
    try append("}\n".utf8)
  }
}
