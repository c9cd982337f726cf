import Foundation

extension Program {
  /// Whether a text is in the process's writable memory: its heap, stacks and writable mappings.
  ///
  /// - Throws: An error if the memory cannot be read, because a process can allow this only to root.
  public func memoryContains(_ text: String) throws -> Bool {
    let memory = open("/proc/\(processID)/mem", O_RDONLY | O_CLOEXEC)
    guard memory >= 0 else { throw TestSupportError.system("the program's memory", code: errno) }
    defer { close(memory) }
    return try writableRegions().contains { contains(text, in: $0, of: memory) }
  }

  private func writableRegions() throws -> [Range<Int>] {
    let maps = try String(contentsOfFile: "/proc/\(processID)/maps", encoding: .utf8)
    return maps.split(separator: "\n").compactMap { line in
      // Format: "559c1000-559c3000 rw-p …", see proc(5).
      let fields = line.split(separator: " ", maxSplits: 2)
      let bounds = fields[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      return fields[1].hasPrefix("rw") && bounds.count == 2 ? bounds[0]..<bounds[1] : nil
    }
  }

  /// Searches a region in overlapping pieces, skipping those that are no longer mapped.
  private func contains(_ text: String, in region: Range<Int>, of memory: Int32) -> Bool {
    let size = 1 << 20
    var piece = Data(count: size + text.utf8.count)
    for start in stride(from: region.lowerBound, to: region.upperBound, by: size) {
      let length = min(piece.count, region.upperBound - start)
      let count = piece.withUnsafeMutableBytes { pread(memory, $0.baseAddress, length, off_t(start)) }
      if count > 0, piece.prefix(count).contains(bytesOf: text) { return true }
    }
    return false
  }
}
