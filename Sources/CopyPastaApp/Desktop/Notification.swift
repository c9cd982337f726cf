import GtkKit
import SerialQueue

/// A desktop notification, which must not contain text from the history.
///
/// Calls the notification service directly, because GApplication's notifications log a warning on a desktop without
/// this service. See https://specifications.freedesktop.org/notification-spec.
@MainActor
struct Notification {
  private static let service = RemoteObject(
    name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications")
  private static let portal = RemoteObject(
    name: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop",
    interface: "org.freedesktop.portal.Notification")
  /// Lets the desktop choose how long to show the notification.
  private static let defaultTime: Int32 = -1

  let title: String
  let body: String

  /// Shows the notification if the desktop has the service; returns immediately.
  func send() {
    Task.unpooled { [title, body] in
      do throws(BusError) {
        let bus = try await Bus.session()
        if Desktop.isFlatpak {
          // A sandbox cannot reach the service, only its portal.
          let content = Variant.dictionary(["title": .string(title), "body": .string(body)])
          _ = try await bus.call(Self.portal, "AddNotification", [.string("notice"), content])
        } else {
          let hints = Variant.dictionary(["desktop-entry": .string(CopyPasta.id)])
          _ = try await bus.call(
            Self.service, "Notify",
            [
              .string(CopyPasta.name), .uint32(0), .string(CopyPasta.id), .string(title), .string(body),
              .strings([]),
              hints, .int32(Self.defaultTime),
            ])
        }
      } catch {
        // The desktop has no notification service.
      }
    }
  }
}
