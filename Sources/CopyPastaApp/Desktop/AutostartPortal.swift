import GtkKit

/// Starting hidden with the user's session, asked of the desktop by the Background portal: in a sandbox, from which
/// the autostart folder is out of reach.
@MainActor
struct AutostartPortal: StartAtLogin.Entry {
  /// The user may be asked.
  private static let limit = Duration.seconds(120)

  /// The one of the session's bus.
  static let ofSession = AutostartPortal(connect: Bus.session)

  private let connect: @MainActor () async throws(BusError) -> Bus

  /// - Parameter connect: the bus that the portal is on.
  init(connect: @escaping @MainActor () async throws(BusError) -> Bus) { self.connect = connect }

  /// The portal does not tell.
  var isSet: Bool? { nil }

  /// - Throws: `refused` if the start at login stays as it is.
  func set(_ starts: Bool) async throws(StartAtLogin.EntryError) {
    let portal: Portal
    do throws(BusError) { portal = Portal(try await connect()) } catch { throw .refused }
    do throws(Portal.RequestError) {
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
