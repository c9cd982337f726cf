import SerialQueue

/// Reads the text on the X11 clipboard, through a connection of its own and off the main thread.
///
/// GDK's reading has no limit of time or size, hides Klipper's mark of a secret, and after an owner that never
/// answered hands out every later answer one read too late. Here each read has a window of its own, which is
/// destroyed with it: whatever comes late comes to a window that is gone.
///
/// ```swift
/// let reader = try SelectionReader(display: nil)
/// let content = try await reader.readText(
///   ownWindow: owner.window, limit: 64 << 20, silence: .seconds(3), total: .seconds(30))
/// ```
///
/// One read at a time: a second one begins when the first has ended. Between two reads nothing runs.
public actor SelectionReader {
  private let queue = SerialQueue(label: "org.copypasta.selection-reader")
  private let connection: Connection
  private let atoms: Atoms
  private let cancellation: CancellationSignal

  /// The reads sleep in `poll(2)`, so they have a thread of their own.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// Connects to `display` (such as `:0`), or to the one that the variable `DISPLAY` names.
  ///
  /// It waits for the server.
  /// - Throws: `cannotConnect` where no server answers, or the process is out of file descriptors.
  public init(display: String?) throws(X11Error) {
    connection = try Connection(display: display)
    guard let cancellation = CancellationSignal() else { throw .cannotConnect(display: display ?? "") }
    self.cancellation = cancellation
    do {
      atoms = try Atoms(connection)
    } catch {
      throw .connectionLost
    }
  }

  /// Reads the text of the CLIPBOARD selection.
  ///
  /// A secret is not read: where the owner lists `x-kde-passwordManagerHint` with the value `secret`, or lists it
  /// and does not tell its value, the text is never asked for.
  /// - Parameters:
  ///   - ownWindow: The window of the caller's own offer, which is not read back.
  ///   - limit: How many bytes of text are taken, and kept in memory, at most.
  ///   - silence: How long the owner may take for each of its answers, and for each piece of a long one.
  ///   - total: How long the whole read may take.
  /// - Throws: Why there is no content. After any error but `connectionLost` the next read works.
  public func readText(
    ownWindow: UInt32?, limit: Int, silence: Duration, total: Duration
  ) async throws(SelectionReadError) -> SelectionContent {
    let patience = Patience(deadline: nil, cancellation: cancellation).limited(to: total)
    let result: Result<SelectionContent, SelectionReadError> = await withTaskCancellationHandler {
      read(ownWindow: ownWindow, limit: limit, silence: silence, patience)
    } onCancel: { [cancellation] in
      cancellation.send()
    }
    return try result.get()
  }

  private func read(
    ownWindow: UInt32?, limit: Int, silence: Duration, _ patience: Patience
  ) -> Result<SelectionContent, SelectionReadError> {
    // Such as errors for windows that went while the last read was cleaning up.
    connection.discardEvents()
    let read = SelectionRead(connection, atoms, limit: limit, silence: silence, patience)
    defer { read.end() }
    do {
      return .success(try read.content(ownWindow: ownWindow))
    } catch {
      return .failure(error)
    }
  }
}
