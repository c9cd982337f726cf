import GtkKit
import SerialQueue

/// A short buzz when a text was copied, by feedbackd, which runs on phones and tablets.
///
/// See https://gitlab.freedesktop.org/agx/feedbackd. If feedbackd does not run nothing happens, and nobody starts it.
@MainActor
struct Haptics {
  private static let service = RemoteObject(
    name: "org.sigxcpu.Feedback", path: "/org/sigxcpu/Feedback", interface: "org.sigxcpu.Feedback")
  /// The only event for applications that every profile answers with a short buzz.
  ///
  /// The event naming specification has none for copying, and no theme knows a name of our own.
  private static let event = "button-pressed"
  /// As long as the theme says.
  private static let ownLength: Int32 = -1

  let preferences: Preferences
  /// The bus that feedbackd is on.
  var connect: @MainActor () async throws(BusError) -> Bus = Bus.session

  /// Says that a text was copied; returns at once.
  func copied() {
    guard preferences[flag: .usesHaptics] else { return }
    Task.unpooled { [connect] in
      do throws(BusError) {
        try await connect().send(
          Self.service, "TriggerFeedback",
          [.string(CopyPasta.id), .string(Self.event), .dictionary([:]), .int32(Self.ownLength)])
      } catch {
        // Without a bus there is nobody to buzz.
      }
    }
  }
}
