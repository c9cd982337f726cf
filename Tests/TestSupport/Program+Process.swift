import Foundation

extension Program {
  /// Whether the process sleeps; false once it has ended.
  public var isSleeping: Bool { statusLine("State")?.hasPrefix("S") ?? false }

  /// The resident memory in KiB; nil once the process has ended.
  public var residentKibibytes: Int? {
    statusLine("VmRSS").flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
  }

  /// The number of open pipes and sockets; nil once the process has ended.
  public var openChannels: Int? {
    do {
      let folder = "/proc/\(processID)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count {
        isChannel("\(folder)/\($0)")
      }
    } catch { return nil }
  }

  /// How many times its threads have begun to sleep, which counts their wake-ups; nil once the process has ended.
  public var sleeps: Int? {
    guard isRunning else { return nil }
    do {
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task")
      return threads.compactMap { thread in
        // Ignore a thread that has ended since it was listed.
        let status = FileManager.default.contents(atPath: "/proc/\(processID)/task/\(thread)/status")
        let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int($0) }
      }.reduce(0, +)
    } catch { return nil }
  }

  private func statusLine(_ key: String) -> String? {
    guard isRunning, let status = FileManager.default.contents(atPath: "/proc/\(processID)/status")
    else { return nil }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(key + ":") }) else { return nil }
    return line.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
  }

  /// Whether a descriptor is a pipe or a socket; false if it was closed since it was listed.
  private func isChannel(_ descriptor: String) -> Bool {
    do {
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: descriptor)
      return target.hasPrefix("pipe:") || target.hasPrefix("socket:")
    } catch { return false }
  }
}
