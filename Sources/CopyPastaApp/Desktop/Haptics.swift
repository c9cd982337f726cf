import GtkKit
import SerialQueue

/// Haptic feedback for a copy, from feedbackd, a service on phones and tablets.
///
/// Does nothing if feedbackd is not running, and does not start it. See https://gitlab.freedesktop.org/agx/feedbackd.
@MainActor
struct Haptics {
  static let service = RemoteObject(
    name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", interface: "org.sigxcpu.Feedback")
  /// The only application event for which every profile provides a short vibration.
  ///
  /// The event naming specification has no event for copying, and themes do not support other names.
  private static let event = "button-pressed"
  /// Lets the theme choose the duration.
  private static let ownLength: Int32 = -1

  let preferences: Preferences
  /// Returns the bus that feedbackd is on; tests replace this closure.
  var connect: @MainActor () async throws(BusError) -> Bus = Bus.session

  /// Requests the feedback for a copy; returns immediately.
  func copied() {
    guard preferences[flag: .usesHaptics] else { return }
    Task.unpooled { [connect] in
      do throws(BusError) {
        try await connect().send(
          Self.service, "TriggerFeedback",
          [.string(CopyPasta.id), .string(Self.event), .dictionary([:]), .int32(Self.ownLength)])
      } catch {
        // Without a session bus, feedbackd cannot be reached.
      }
    }
  }
}
