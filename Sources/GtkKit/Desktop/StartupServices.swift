import CGtk
import Glibc
import SerialQueue

/// The services of the session that GTK waits for without a limit as it starts: asked before, with one, so that a
/// service that hangs costs what it has to give, and not the window.
///
/// ```swift
/// let services = StartupServices(isHurried: true) { print("\($0) does not answer") }
/// services.awaitBeforeDisplay()
/// Display.open()
/// services.awaitBeforeWidgets()
/// // ... the first window ...
/// services.awaitBeforeApplication()
/// application.run()   // calls `services.gtkHasStarted()` in its startup
/// ```
@MainActor
public final class StartupServices {
  /// A service that GTK waits for.
  public enum Service: Sendable {
    /// The desktop's portal: GTK reads fonts, text size and pointer from it, on Wayland before it opens the display;
    /// newer ones ask it more when the application starts.
    case portal
    /// The bus of the screen readers, which GTK connects to with the first widget that gets the focus.
    case accessibility
  }

  /// The window is to come within half a second in any case; a portal that runs answers within a few milliseconds.
  private static let portalTime = Duration.milliseconds(150)
  /// Without this bus a blind user has no window at all: on a busy machine it is worth the wait.
  private static let accessibilityTime = Duration.seconds(5)
  /// Services that start with the session take their time.
  private static let loginTime = Duration.seconds(10)

  private let isHurried: Bool
  private let foundSilent: @MainActor (Service) -> Void
  /// The services that are still waited for.
  private lazy var unanswered: Set<Service> = ask()
  private var diversion: guint?

  /// Begins to look for the session bus.
  ///
  /// - Parameters:
  ///   - isHurried: whether somebody waits for the window; if not, a service has the time that a login takes.
  ///   - foundSilent: called with each service that does not answer, which GTK does without then.
  public init(isHurried: Bool, foundSilent: @escaping @MainActor (Service) -> Void) {
    self.isHurried = isHurried
    self.foundSilent = foundSilent
    SessionBus.connectAhead()
  }

  /// Waits for what the display needs: the bus, and on Wayland the portal; on X11 the X server has the settings.
  public func awaitBeforeDisplay() {
    guard SessionBus.isThere, Desktop.isWayland else { return }
    if !answers(.portal, within: isHurried ? Self.portalTime : Self.loginTime) { foundSilent(.portal) }
  }

  /// Waits for what the first widget needs.
  public func awaitBeforeWidgets() {
    if !answers(.accessibility, within: isHurried ? Self.accessibilityTime : Self.loginTime) {
      foundSilent(.accessibility)
    }
  }

  /// Waits for what the start of the application needs, without which nothing is lost.
  public func awaitBeforeApplication() { _ = answers(.portal, within: Self.portalTime) }

  /// Lets through again what is sent to the portal: nothing waits for its answers any more.
  public func gtkHasStarted() {
    if let diversion { g_dbus_connection_remove_filter(SessionBus.bus?.opaque, diversion) }
    diversion = nil
  }

  /// Waits for an answer; GTK does without the service if none comes.
  private func answers(_ service: Service, within limit: Duration) -> Bool {
    guard unanswered.contains(service) else { return true }
    if MainLoop.run(until: { !unanswered.contains(service) }, atMost: limit) { return true }
    // On a busy machine everything takes longer; whatever the bus had to say is here with its answer to this call.
    SessionBus.waitForAnswer(within: .seconds(1))
    if MainLoop.run(until: { !unanswered.contains(service) }, atMost: .milliseconds(20)) { return true }
    unanswered.remove(service)
    switch service {
    case .portal:
      // Has the bus answer what GTK asks the portal: that it knows of no such thing. Newer GTKs have a switch for that
      // (`no-portals`), which 4.8 has not; the switch cannot be turned back, and holds for all that a portal gives.
      diversion = SessionBus.bus.map {
        g_dbus_connection_add_filter($0.opaque, divertedFromPortal, nil, nil)
      }
    case .accessibility: g_setenv("GTK_A11Y", "none", 1)
    }
    return false
  }

  /// Asks all services, and returns them.
  private func ask() -> Set<Service> {
    guard let bus = SessionBus.bus else { return [] }
    ask(.portal) {
      // GTK asks the same.
      let settings = RemoteObject(
        name: "org.freedesktop.portal.Desktop", path: portalPath, interface: "org.freedesktop.portal.Settings"
      )
      try await bus.call(settings, "ReadAll", [.strings(["org.gnome.*", "org.freedesktop.appearance"])])
    }
    // The user's own choice holds.
    guard g_getenv("GTK_A11Y") == nil else { return [.portal] }
    ask(.accessibility) {
      let launcher = RemoteObject(name: "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus")
      let own = g_getenv("AT_SPI_BUS_ADDRESS").map { String(cString: $0) }
      let address = if let own { own } else { try await bus.call(launcher, "GetAddress")[0]?.string }
      _ = try await Bus.at(address: address ?? "")
    }
    return [.portal, .accessibility]
  }

  private func ask(_ service: Service, _ question: @escaping @MainActor () async throws -> Void) {
    Task.unpooled {
      // An error is an answer, too: GTK would get one as fast.
      do { try await question() } catch {}
      self.unanswered.remove(service)
    }
  }
}

private let portalPath = "/org/freedesktop/portal/desktop"

/// Sends a call of the portal's object to the bus itself; on GLib's thread for messages.
private func divertedFromPortal(
  _ connection: OpaquePointer?, _ message: OpaquePointer?, _ isIncoming: gboolean, _ data: gpointer?
) -> OpaquePointer? {
  guard isIncoming == 0, let message,
    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
    let path = g_dbus_message_get_path(message), strcmp(path, portalPath) == 0,
    // A message that was sent may not be changed.
    let copy = g_dbus_message_copy(message, nil)
  else { return message }
  g_object_unref(UnsafeMutableRawPointer(message))
  g_dbus_message_set_destination(copy, "org.freedesktop.DBus")
  return copy
}
