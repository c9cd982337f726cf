import Foundation

extension Program {
  /// Whether the process waits for something; false once it has ended.
  public var isSleeping: Bool { statusLine("State")?.hasPrefix("S") ?? false }

  /// The memory that is resident, in KiB; nil once the process has ended.
  public var residentKibibytes: Int? {
    statusLine("VmRSS").flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
  }

  /// How many pipes and sockets it has open; nil once the process has ended.
  public var openChannels: Int? {
    do {
      let folder = "/proc/\(processID)/fd"
      return try FileManager.default.contentsOfDirectory(atPath: folder).count {
        isChannel("\(folder)/\($0)")
      }
    } catch { return nil }
  }

  /// The processor time it has used so far; nil once the process has ended.
  public var processorTime: Duration? {
    guard let line = read("stat"), let rest = line.split(separator: ")").last else { return nil }
    // Fields 14 and 15 of proc(5), user and system time in ticks; the split starts with field 3.
    let fields = rest.split(separator: " ")
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
    return .seconds(user + system) / sysconf(Int32(_SC_CLK_TCK))
  }

  /// How often its threads have gone to sleep, which tells how often they were woken up; nil once the process has ended.
  public var sleeps: Int? {
    guard isRunning else { return nil }
    do {
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task")
      return threads.compactMap { thread in
        // A thread may end meanwhile.
        let status = FileManager.default.contents(atPath: "/proc/\(processID)/task/\(thread)/status")
        let lines = String(decoding: status ?? Data(), as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("voluntary_ctxt_switches:") }
        return line?.split(separator: "\t").last.flatMap { Int($0) }
      }.reduce(0, +)
    } catch { return nil }
  }

  private func statusLine(_ key: String) -> String? {
    guard let line = read("status")?.split(separator: "\n").first(where: { $0.hasPrefix(key + ":") })
    else { return nil }
    return line.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
  }

  /// A descriptor of the listing that is closed by now is none.
  private func isChannel(_ descriptor: String) -> Bool {
    do {
      let target = try FileManager.default.destinationOfSymbolicLink(atPath: descriptor)
      return target.hasPrefix("pipe:") || target.hasPrefix("socket:")
    } catch { return false }
  }

  /// nil if the process has ended: its folder in /proc is gone.
  private func read(_ file: String) -> String? {
    guard isRunning, let data = FileManager.default.contents(atPath: "/proc/\(processID)/\(file)")
    else { return nil }
    return String(decoding: data, as: UTF8.self)
  }
}
