import Foundation

/// The files, pipes and sockets that a process has open, as the targets of its descriptors.
public func openFiles(of process: String = "self") throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap {
    // A descriptor may have been closed since it was listed.
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
  }
}

extension Program {
  /// Whether the process sleeps; false once it has ended.
  public var isSleeping: Bool { status("State")?.hasPrefix("S") ?? false }

  /// The resident memory in KiB; nil once the process has ended.
  public var residentKibibytes: Int? {
    status("VmRSS").flatMap { $0.split(separator: " ").first }.flatMap { Int($0) }
  }

  /// The number of open pipes and sockets.
  public func openChannels() throws -> Int {
    try openFiles(of: "\(processID)").count { $0.hasPrefix("pipe:") || $0.hasPrefix("socket:") }
  }

  /// How many times its threads have begun to sleep, which counts their wake-ups.
  public func sleeps() throws -> Int {
    // Ignore a thread that has ended since it was listed.
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task").compactMap {
      status("voluntary_ctxt_switches", of: "/task/\($0)").flatMap { Int($0) }
    }.reduce(0, +)
  }

  private func status(_ key: String, of thread: String = "") -> String? {
    guard isRunning,
      let status = FileManager.default.contents(atPath: "/proc/\(processID)\(thread)/status")
    else { return nil }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(key + ":") }) else { return nil }
    return line.dropFirst(key.count + 1).trimmingCharacters(in: .whitespaces)
  }
}
