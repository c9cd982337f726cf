import CGtk

/// Receives the requests of other launches while this process owns its bus name, but does not run its `Application` yet.
///
/// Without it, the bus would answer that the program has no such object.
///
/// ```swift
/// let calls = EarlyCalls(id: "org.example.Notes")
/// // ... claim the name, draw the first window ...
/// for action in calls.end() { ... }
/// application.run()
/// ```
@MainActor
public final class EarlyCalls {
  private static let introspection = """
    <node><interface name="org.freedesktop.Application">
    <method name="Activate"><arg direction="in" type="a{sv}"/></method>
    <method name="ActivateAction"><arg direction="in" type="s"/><arg direction="in" type="av"/>
    <arg direction="in" type="a{sv}"/></method>
    </interface></node>
    """

  private var actions: [String?] = []
  private var registration: Bus.Registration?

  /// Starts receiving requests; does nothing without a bus.
  public init(id: String) {
    do throws(BusError) {
      registration = try SessionBus.bus?.export(
        Self.introspection, at: RunningApplication(id: id).path,
        methods: [
          "Activate": { [weak self] _ throws(BusError) in
            self?.actions.append(nil)
            return []
          },
          "ActivateAction": { [weak self] arguments throws(BusError) in
            self?.actions.append(arguments[0]?.string)
            return []
          },
        ])
    } catch {
      // Another object at this path would answer the calls.
    }
  }

  /// Stops receiving requests, and returns the requested actions; nil stands for the activation of the application.
  ///
  /// Call this immediately before `Application.run`, which exports the same interface.
  public func end() -> [String?] {
    registration = nil
    return actions
  }
}
