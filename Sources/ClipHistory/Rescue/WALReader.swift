/// Where the newest committed image of each page is in a write-ahead log, damaged or not.
///
/// SQLite ends at the first frame whose checksum is wrong, and forgets what was committed after it without a word. Each
/// frame's checksum goes on from the one before it, which that frame holds: so every frame can be judged by itself
/// (https://sqlite.org/fileformat2.html#the_write_ahead_log).
struct WALReader {
  /// The size of a page in every history; SQLite's default for new files.
  static let pageSize = 4096

  /// The number that a log begins with; the lowest bit says that its checksums are of big-endian numbers.
  private static let magic = 0x377f_0682
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// The offset in the log of each page's bytes.
  private(set) var offsets: [Int: Int] = [:]

  /// How many pages the database had after the last commit, nil if none was found.
  private(set) var databaseSize: Int?

  /// Whether something that was on disk is lost to SQLite.
  ///
  /// A last transaction that is incomplete is no damage: a power cut leaves such a one, and nobody was told that it is
  /// on disk. Transactions after a broken one prove that it was complete once.
  private(set) var isDamaged = false

  init(_ log: RawFile) {
    guard let header = log.bytes(at: 0, count: Self.headerSize) else { return }
    // SQLite writes them in the order of the machine's numbers: without a sound header, the usual one.
    let checksum = WALChecksum(isBigEndian: header.uint32(at: 0) == Self.magic | 1)
    let isHeaderSound =
      header.uint32(at: 0) & ~1 == Self.magic && header.uint32(at: 8) == Self.pageSize
      && checksum.of(header[..<24], after: [0, 0]) == checksum.stored(in: header, at: 24)
    var previous = isHeaderSound ? checksum.stored(in: header, at: 24) : nil
    var salts = isHeaderSound ? header[16..<24] : nil
    var pending: [Int: Int] = [:]
    var isWhole = isHeaderSound
    var hasCommitAfterBreak = false

    let frameSize = Self.frameHeaderSize + Self.pageSize
    for offset in stride(from: Self.headerSize, through: log.size - frameSize, by: frameSize) {
      guard let frame = log.bytes(at: offset, count: frameSize) else {
        (previous, isWhole) = (nil, false)
        continue
      }
      // Frames of an earlier use of the file have other salts.
      guard frame[8..<16].elementsEqual(salts ?? frame[8..<16]) else {
        (previous, isWhole) = (nil, false)
        continue
      }
      salts = frame[8..<16]
      if hasCommitAfterBreak { isDamaged = true }
      let stored = checksum.stored(in: frame, at: 16)
      let isSound =
        previous.map { checksum.of(frame[24...], after: checksum.of(frame[..<8], after: $0)) == stored }
        ?? (offset == Self.headerSize)
      previous = stored
      isWhole = isWhole && isSound
      let commitSize = frame.uint32(at: 4)
      if !isWhole, commitSize > 0 { hasCommitAfterBreak = true }
      guard isSound, case let number = frame.uint32(at: 0), number > 0 else { continue }
      pending[number] = offset + Self.frameHeaderSize
      guard commitSize > 0 else { continue }
      offsets.merge(pending) { $1 }
      pending = [:]
      databaseSize = commitSize
    }
    if !isHeaderSound, databaseSize != nil { isDamaged = true }
  }
}

/// The checksum of a log, over pairs of numbers of 32 bits.
private struct WALChecksum {
  /// Which way the numbers are read; how they are stored does not depend on it.
  let isBigEndian: Bool

  func of(_ bytes: ArraySlice<UInt8>, after start: [UInt32]) -> [UInt32] {
    bytes.withUnsafeBytes { buffer in
      var (first, second) = (start[0], start[1])
      var offset = 0
      while offset + 8 <= buffer.count {
        first &+= number(buffer, offset) &+ second
        second &+= number(buffer, offset + 4) &+ first
        offset += 8
      }
      return [first, second]
    }
  }

  func stored(in bytes: [UInt8], at offset: Int) -> [UInt32] {
    [UInt32(bytes.uint32(at: offset)), UInt32(bytes.uint32(at: offset + 4))]
  }

  private func number(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let value = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
  }
}
