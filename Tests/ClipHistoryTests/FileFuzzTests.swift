import Foundation
import TestSupport
import Testing

/// Fuzzes `COPYPASTA_FUZZ_FILES` files (default: 200), with seeds starting at `COPYPASTA_SEED` (default: 1).
///
/// With `COPYPASTA_FUZZ_BITS`, the first seeds each flip one bit of the smallest file.
///
/// Fuzzes in child processes, because a file may make the process trap or hang; an alarm kills a process that hangs.
/// The report then names the last seed.
@Suite(.tags(.recovers)) struct FileFuzzTests {
  @Test(arguments: 0..<2)
  func `a randomly damaged history is opened or recovered, and then records a text`(half: Int) async throws {
    let folder = try TemporaryFolder()
    // Both halves run concurrently, so pass their arguments under different names.
    try await handing(folder.path, as: "half \(half)") {
      if half == 0 {
        await #expect(processExitsWith: .success) { try await Self.run(half: 0) }
      } else {
        await #expect(processExitsWith: .success) { try await Self.run(half: 1) }
      }
    }
    print(try String(contentsOfFile: folder.path + "/report", encoding: .utf8))
  }

  /// Fuzzes one half of the seeds and exits the process.
  private static func run(half: Int) async throws {
    let report = URL(filePath: try handed("half \(half)")[0] + "/report")
    let count = environmentNumber("COPYPASTA_FUZZ_FILES", or: 200) / 2
    let first = environmentNumber("COPYPASTA_SEED", or: 1) + half * count
    let flipsEachBit = environmentNumber("COPYPASTA_FUZZ_BITS", or: 0) > 0
    var fuzz = try await FileFuzz()
    var findings: [String] = []
    for seed in first..<first + count {
      try Data("ended at seed \(seed)".utf8).write(to: report)
      // End this process if it hangs.
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
      "\(count) files from seed \(first) on: \(fuzz.recoveries) recovered, \(fuzz.foundByCheck) found by a check only, "
        + "\(fuzz.refusals) refused as another program's or a newer version's, at most \(usage.ru_maxrss) KiB"
    )
    try Data(findings.joined(separator: "\n").utf8).write(to: report)
    exit(findings.count == 1 ? 0 : 1)
  }
}
