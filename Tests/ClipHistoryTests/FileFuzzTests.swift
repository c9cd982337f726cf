import Foundation
import TestSupport
import Testing

/// `COPYPASTA_FUZZ_FILES` files (1,000), from the seed `COPYPASTA_SEED` (1) on.
///
/// With `COPYPASTA_FUZZ_BITS` the first seeds flip each bit of the smallest file once, one bit a seed.
///
/// In processes of their own, because a trap or a hang ends one of them; it has said before which seed it was at.
@Suite("Whatever the bytes of its files are, a history is opened or rescued, and goes on")
struct FileFuzzTests {
  private static func number(_ name: String, or other: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? other
  }

  @Test(arguments: 0..<2)
  func `any bit, any page, any length`(half: Int) async throws {
    let folder = try TemporaryFolder()
    let (seedFile, report) = (folder.path + "/seed", folder.path + "/report")
    // Both at once, so that each has a place of its own for what it is handed.
    try await handing(folder.path, as: "half \(half)") {
      if half == 0 {
        await #expect(processExitsWith: .success) { try await Self.run(half: 0) }
      } else {
        await #expect(processExitsWith: .success) { try await Self.run(half: 1) }
      }
    }
    do {
      print(try String(contentsOfFile: report, encoding: .utf8))
    } catch {
      let seed = try Data(contentsOf: URL(filePath: seedFile)).withUnsafeBytes {
        $0.loadUnaligned(as: Int.self)
      }
      Issue.record("ended at seed \(seed)")
    }
  }

  /// Ends the process.
  private static func run(half: Int) async throws {
    let folder = try handed("half \(half)")[0]
    let count = number("COPYPASTA_FUZZ_FILES", or: 1_000) / 2
    let first = number("COPYPASTA_SEED", or: 1) + half * count
    let flipsEachBit = ProcessInfo.processInfo.environment["COPYPASTA_FUZZ_BITS"] != nil
    var fuzz = try await FileFuzz()
    var findings: [String] = []
    let file = open(folder + "/seed", O_WRONLY | O_CREAT, 0o600)
    for number in first..<first + count {
      var seed = number
      pwrite(file, &seed, MemoryLayout<Int>.size, 0)
      // A hang ends it, too.
      alarm(120)
      let bit = flipsEachBit && seed <= fuzz.bitCount ? seed - 1 : nil
      do {
        try await fuzz.run(seed: UInt64(seed), bit: bit)
      } catch {
        findings.append("seed \(seed)\(bit.map { ", bit \($0)" } ?? ""): \(error)")
      }
    }
    alarm(0)
    try fuzz.cleanUp()
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    if usage.ru_maxrss > 1 << 20 { findings.append("\(usage.ru_maxrss) KiB of memory") }
    findings.append(
      "\(count) files from seed \(first) on: \(fuzz.rescues) rescued, \(fuzz.foundByCheck) found by a check only, "
        + "\(fuzz.refusals) refused as another program's or a newer version's, at most \(usage.ru_maxrss) KiB"
    )
    try Data(findings.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/report"))
    exit(findings.count == 1 ? 0 : 1)
  }
}
