import TestSupport
import TextPipeline
import Testing

/// Random texts, the same in each run, made of parts that have broken programs before.
@Suite struct TextPipelineTests {
  @Test(arguments: 0..<8) func `previews and full texts of random texts keep their limits and hide nothing`(
    _ seed: UInt64
  ) {
    var random = SplitMix(seed: seed)
    for round in 0..<150 {
      let bytes = Self.made(with: &random)
      // Print only the seed and round, which reproduce the text; the bytes would fill the screen.
      #expect(TextPipeline.problem(with: bytes) == nil, "seed \(seed), round \(round)")
    }
  }

  private static let parts: [[UInt8]] = [
    Array("word ".utf8), Array("é\u{301}ß".utf8), Array("👨‍👩‍👧‍👦🇨🇭".utf8), Array("\r\n\n\t ".utf8),
    Array("\u{2028}\u{2029}\u{85}".utf8),
    Array("\u{202e}مرحبا\u{200f}".utf8), Array("한국어日本語".utf8), [0x01, 0x1b, 0x7f],
    Array("\u{feff}\u{fffd}".utf8),
    Array(repeating: 0x20, count: 500), Array(repeating: 0x0a, count: 4096),
    Array("e".utf8) + Array(repeating: [0xcc, 0x81], count: 900).joined(),
    Array(repeating: 0x61, count: 399),
  ]
  private static let wrong: [[UInt8]] = [
    [0], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0x80],
  ]

  private static func made(with random: inout SplitMix) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      bytes += parts.randomElement(using: &random) ?? []
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.insert(contentsOf: wrong.randomElement(using: &random) ?? [], at: bytes.count / 2)
    case 1 where !bytes.isEmpty:
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
    case 2 where !bytes.isEmpty: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
    default: break
    }
    return bytes
  }
}
