import ClipHistory
import GtkKit

/// The D-Bus interface through which `copypasta --clear` reaches the running instance.
///
/// An action of the application does not suffice, because it returns no result.
@MainActor
enum HistoryBusInterface {
  /// The name of the error whose message is for the user.
  static let failure = "org.copypasta.CopyPasta.Error.NotCleared"

  private static let interface = "org.copypasta.CopyPasta.History"
  private static let introspection = """
    <node><interface name="\(interface)"><method name="Clear"><arg direction="out" type="u"/></method></interface></node>
    """
  /// How long clearing may take, because SQLite overwrites the deleted texts with zeros.
  private static let limit = Duration.seconds(120)

  /// Exports the interface.
  ///
  /// - Parameter clear: Deletes all items, and returns how many.
  static func export(
    on bus: Bus, clear: @escaping @MainActor () async throws(StoreError) -> Int
  ) throws(BusError) -> Bus.Registration {
    try bus.export(
      introspection, at: RunningApplication(id: CopyPasta.id).path,
      asyncMethods: [
        "Clear": { _ throws(BusError) in
          do throws(StoreError) {
            return [.uint32(UInt32(clamping: try await clear()))]
          } catch {
            throw .refused(name: Self.failure, message: Clear.failure(error))
          }
        }
      ])
  }

  /// Clears the history of the running instance.
  ///
  /// - Returns: The number of deleted items; nil if no instance is running.
  static func clear(_ running: RunningApplication) throws(BusError) -> Int? {
    let answer = try running.call("Clear", of: interface, within: limit)
    return answer.map { Int($0[0]?.uint32 ?? 0) }
  }
}
