import Glibc

/// Bytes of a file descriptor, read some at a time.
struct InputBuffer {
  /// Input could not be read, for a reason other than its end.
  struct ReadError: Error, Equatable {
    let errno: Int32
  }

  private let descriptor: Int32
  private var bytes = [UInt8](repeating: 0, count: 65_536)
  private var position = 0
  private var end = 0

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// The next byte, which stays the next one; nil at the end.
  mutating func peek() throws(ReadError) -> UInt8? {
    if position == end { try fill() }
    return position < end ? bytes[position] : nil
  }

  /// Goes on behind the byte that `peek` returned.
  mutating func advance() { position += 1 }

  /// Goes on behind the next byte if it is this one.
  mutating func take(_ character: Unicode.Scalar) throws(ReadError) -> Bool {
    guard try peek() == UInt8(character.value) else { return false }
    advance()
    return true
  }

  /// Takes what is there of a JSON string up to a quotation mark, an escape or a control character.
  mutating func takePlain(into text: inout [UInt8]) throws(ReadError) {
    guard try peek() != nil else { return }
    var stop = position
    while stop < end, bytes[stop] >= 0x20, bytes[stop] != UInt8(ascii: "\""),
      bytes[stop] != UInt8(ascii: "\\")
    {
      stop += 1
    }
    text += bytes[position..<stop]
    position = stop
  }

  private mutating func fill() throws(ReadError) {
    while true {
      let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ReadError(errno: errno) }
      (position, end) = (0, count)
      return
    }
  }
}
