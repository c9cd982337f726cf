// Records, deletes and restores clips in a history until it is killed: `HistoryChurn FOLDER SEED`.
//
// It prints a line that begins with ">" before each change, and a "<" line afterwards. A change with both lines is on
// disk; a last change without its "<" may be on disk or not. Each line is a single write, so a kill leaves only whole
// lines.
import ClipHistory
import Glibc
import TestSupport

func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  write(STDOUT_FILENO, bytes, bytes.count)
}

func churn(in folder: String, seed: UInt64) async throws(StoreError) {
  var random = SplitMix(seed: seed)
  let store = try HistoryStore(location: HistoryLocation(folder: folder)) { key, text in
    // A simple digest suffices, because the only requirement is that it does not contain the text.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key + text.bytes.prefix(64) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return withUnsafeBytes(of: hash) { Array($0) }
  }
  var own: [Int64] = []
  var deleted: [DeletedClip] = []
  for number in 0... {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2 where !own.isEmpty:
      let id = own.remove(at: Int.random(in: own.indices, using: &random))
      say("> delete \(id)")
      if let clip = try await store.delete(id) { deleted.append(clip) }
      say("<")
    case 2 where !deleted.isEmpty:
      let clip = deleted.remove(at: Int.random(in: deleted.indices, using: &random))
      say("> restore \(clip.id)")
      own.append(try await store.restore(clip).id)
      say("<")
    default:
      let marker = "[\(seed)-\(number)]"
      // Most texts are short, and a few of them span many pages.
      let count = Int.random(in: 0..<30, using: &random) == 0 ? 5_000 : Int.random(in: 1...60, using: &random)
      say("> record \(marker) \(count)")
      guard let text = try? ClipText(validating: Array(String(repeating: marker, count: count).utf8)),
        case .recorded(let clip) = try await store.record(text, at: Int64(number))
      else { exit(1) }
      own.append(clip.id)
      say("< \(clip.id)")
    }
  }
}

do {
  try await churn(in: CommandLine.arguments[1], seed: UInt64(CommandLine.arguments[2]) ?? 0)
} catch {
  say("failed: \(error)")
}
