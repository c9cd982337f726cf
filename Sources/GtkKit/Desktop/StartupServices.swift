import CGtk
import Glibc
import SerialQueue

/// Contacts the session services that GTK needs at startup, because GTK would wait for them without a timeout.
///
/// If a service hangs, the program continues without the service's features, and the window still appears.
///
/// ```swift
/// let services = StartupServices(isHurried: true) { print("\($0) does not answer") }
/// services.awaitBeforeDisplay()
/// Display.open()
/// services.displayIsOpen()
/// services.awaitBeforeWidgets()
/// // ... the first window ...
/// ```
@MainActor
public final class StartupServices {
  /// A service that GTK waits for.
  public enum Service: Sendable {
    /// The desktop portal. On Wayland, GTK reads fonts, text size and cursor from it as it opens the display.
    case portal
    /// The accessibility bus, to which GTK connects when the first widget gets the focus.
    case accessibility
  }

  /// Short, because the window must appear within half a second; a running portal answers within a few milliseconds.
  private static let portalTime = Duration.milliseconds(150)
  /// Long enough for a busy machine, because without this bus a blind user cannot use the window.
  private static let accessibilityTime = Duration.seconds(5)
  /// Longer at login, because other services are still starting.
  private static let loginTime = Duration.seconds(10)

  private let isHurried: Bool
  private let foundSilent: @MainActor (Service) -> Void
  private lazy var unanswered: Set<Service> = ask()
  private var diversion: guint?

  /// Starts connecting to the session bus.
  ///
  /// - Parameters:
  ///   - isHurried: whether the user is waiting for the window; if not, each service gets the longer time limit for a
  ///     login.
  ///   - foundSilent: called for each service that does not answer; GTK then does not use that service.
  public init(isHurried: Bool, foundSilent: @escaping @MainActor (Service) -> Void) {
    self.isHurried = isHurried
    self.foundSilent = foundSilent
    SessionBus.connectAhead()
  }

  /// Waits for the bus and, on Wayland, for the portal, from which GTK reads the display's settings.
  ///
  /// On X11 the X server provides these settings.
  public func awaitBeforeDisplay() {
    guard SessionBus.isThere, Desktop.isWayland else { return }
    if !answers(.portal, within: isHurried ? Self.portalTime : Self.loginTime) { foundSilent(.portal) }
  }

  public func awaitBeforeWidgets() {
    if !answers(.accessibility, within: isHurried ? Self.accessibilityTime : Self.loginTime) {
      foundSilent(.accessibility)
    }
  }

  /// Stops diverting calls to the portal, because GTK no longer waits for their results.
  public func displayIsOpen() {
    if let diversion { g_dbus_connection_remove_filter(SessionBus.bus?.opaque, diversion) }
    diversion = nil
  }

  /// Waits for a service's answer; if there is none, keeps GTK from using the service.
  private func answers(_ service: Service, within limit: Duration) -> Bool {
    guard unanswered.contains(service) else { return true }
    if MainLoop.run(until: { !unanswered.contains(service) }, atMost: limit) { return true }
    // On a busy machine, the answer may still be under way: after a round trip to the bus, all earlier messages have
    // arrived.
    SessionBus.waitForAnswer(within: .seconds(1))
    if MainLoop.run(until: { !unanswered.contains(service) }, atMost: .milliseconds(100)) { return true }
    unanswered.remove(service)
    switch service {
    case .portal:
      // Divert GTK's calls from the portal to the bus, which replies with an "unknown" error. Do not use the switch
      // `no-portals` of newer GTK versions: it cannot be reverted, and disables everything that a portal provides.
      diversion = SessionBus.bus.map {
        g_dbus_connection_add_filter($0.opaque, divertedFromPortal, nil, nil)
      }
    case .accessibility: g_setenv("GTK_A11Y", "none", 1)
    }
    return false
  }

  private func ask() -> Set<Service> {
    guard let bus = SessionBus.bus else { return [] }
    ask(.portal) {
      // GTK makes the same call.
      let settings = RemoteObject(
        name: "org.freedesktop.portal.Desktop", path: portalPath, interface: "org.freedesktop.portal.Settings"
      )
      try await bus.call(settings, "ReadAll", [.strings(["org.gnome.*", "org.freedesktop.appearance"])])
    }
    // Respect the user's own setting.
    guard g_getenv("GTK_A11Y") == nil else { return [.portal] }
    ask(.accessibility) {
      let launcher = RemoteObject(name: "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus")
      let own = g_getenv("AT_SPI_BUS_ADDRESS").map { String(cString: $0) }
      let address = if let own { own } else { try await bus.call(launcher, "GetAddress")[0]?.string }
      _ = try await Bus.at(address: address ?? "")
    }
    return [.portal, .accessibility]
  }

  private func ask(_ service: Service, _ request: @escaping @MainActor () async throws -> Void) {
    Task.unpooled {
      // An error counts as an answer, because GTK would get an error just as quickly.
      do { try await request() } catch {}
      self.unanswered.remove(service)
    }
  }
}

private let portalPath = "/org/freedesktop/portal/desktop"

/// Diverts calls addressed to the portal's object, so that the bus itself answers them; runs on GLib's D-Bus thread.
private func divertedFromPortal(
  _ connection: OpaquePointer?, _ message: OpaquePointer?, _ isIncoming: gboolean, _ data: gpointer?
) -> OpaquePointer? {
  guard isIncoming == 0, let message,
    g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
    let path = g_dbus_message_get_path(message), strcmp(path, portalPath) == 0,
    // A message in a filter may be locked, so modify a copy.
    let copy = g_dbus_message_copy(message, nil)
  else { return message }
  g_object_unref(UnsafeMutableRawPointer(message))
  g_dbus_message_set_destination(copy, "org.freedesktop.DBus")
  return copy
}
