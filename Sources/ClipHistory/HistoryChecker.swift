import SerialQueue

/// Checks a history on a thread of its own; see `HistoryCheck`.
public actor HistoryChecker {
  private let queue = SerialQueue(label: "org.copypasta.check")

  /// The thread that it runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Makes a checker; touches nothing.
  public init() {}

  /// What is found.
  ///
  /// - Throws: as `HistoryCheck.init` does.
  public func check(_ location: HistoryLocation) throws(StoreError) -> HistoryCheck {
    try HistoryCheck(location)
  }
}
