import GtkKit

/// Starting hidden with the user's session, asked of the desktop by the Background portal: in a sandbox, from which
/// the autostart folder is out of reach.
@MainActor
struct AutostartPortal {
  /// The user may be asked.
  private static let limit = Duration.seconds(120)

  private let portal: Portal

  init(_ portal: Portal) { self.portal = portal }

  /// The portal of this session.
  static func ofSession() async throws(AutostartError) -> AutostartPortal {
    do throws(BusError) {
      return AutostartPortal(Portal(try await Bus.session()))
    } catch {
      throw .refused
    }
  }

  /// - Throws: `refused` where it stays as it is.
  func set(_ starts: Bool) async throws(AutostartError) {
    do throws(PortalError) {
      let answer = try await portal.request(
        "RequestBackground", of: "org.freedesktop.portal.Background", within: Self.limit
      ) { token in
        let reason = tr("To be there when you want to find what you copied.")
        return [
          .string(""),
          .dictionary([
            "handle_token": token, "reason": .string(reason), "autostart": .bool(starts),
            "commandline": .strings(["copypasta", "--background"]),
          ]),
        ]
      }
      if answer["autostart"]?.bool == starts { return }
    } catch {}
    throw .refused
  }
}
