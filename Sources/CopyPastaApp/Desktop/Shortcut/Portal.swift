import GtkKit

/// The desktop's portals (`org.freedesktop.portal.Desktop`).
///
/// The shortcut uses a bus connection of its own, because a program has to be registered before the first request on a
/// connection, and GTK sends requests over the shared connection.
@MainActor
struct Portal {
  enum RequestError: Error, Equatable {
    /// The desktop lacks the portal, or the portal rejected the request, for example because it serves only installed
    /// programs.
    case unavailable
    /// The portal is not running, or exited during the request.
    case gone
    /// The user denied the request, or closed its dialog.
    case refused
    /// The portal ended the request without an answer from the user.
    case failed
    case timedOut
    case cancelled
  }

  static let name = "org.freedesktop.portal.Desktop"
  static let path = "/org/freedesktop/portal/desktop"

  let bus: Bus

  /// An interface of the portals, such as `org.freedesktop.portal.GlobalShortcuts`.
  static func interface(_ interface: String, at path: String = path) -> RemoteObject {
    RemoteObject(name: name, path: path, interface: interface)
  }

  /// Registers the program's id for this connection (xdg-desktop-portal 1.20 and newer).
  ///
  /// Call this before any request. Without it, the portal takes the id from the program's systemd scope, if it has one.
  func register(as id: String, within limit: Duration) async throws(Portal.RequestError) {
    do throws(BusError) {
      try await bus.call(
        Self.interface("org.freedesktop.host.portal.Registry"), "Register",
        [.string(id), .dictionary([:])], timeout: limit)
    } catch {
      // Continue without registration if the portal is too old to have the method, or does not find our desktop file.
      if case .refused = error { return }
      throw RequestError(error)
    }
  }

  /// Makes a request and waits for its answer, the signal `Response`.
  ///
  /// - Parameters:
  ///   - limit: How long to wait; nil for no limit, for a request that asks the user. When a request times out or
  ///     the task is cancelled, the request is closed, together with its dialog.
  ///   - arguments: Returns the method's arguments, given the value of the option `handle_token`.
  func request(
    _ method: String, of interface: String, within limit: Duration?, arguments: (Variant) -> [Variant]
  ) async throws(Portal.RequestError) -> [String: Variant] {
    // Use a random token, because another `Portal` may use the same connection.
    let token = "copypasta_" + String(UInt64.random(in: .min ... .max), radix: 16)
    let sender = String(bus.uniqueName.dropFirst().map { $0 == "." ? "_" : $0 })
    // Subscribe before the call, because the answer could arrive before a later subscription. The request's path is
    // known in advance.
    let request = Self.interface(
      "org.freedesktop.portal.Request", at: "\(Self.path)/request/\(sender)/\(token)")
    let answer = FirstValue<Result<[String: Variant], RequestError>>()
    let subscription = bus.subscribe(to: "Response", of: request) { answer.send(.init(response: $0)) }
    // The limit applies to the call and its answer together.
    let timeout = limit.map { Timeout(after: $0) { answer.send(.failure(.timedOut)) } }
    defer { timeout?.cancel() }
    var isThere = false
    // If the portal exits while its dialog is shown, no answer arrives.
    let watch = bus.watchName(Self.name) { _ in
      isThere = true
    } vanished: {
      if isThere { answer.send(.failure(.gone)) }
    }
    defer { withExtendedLifetime((subscription, watch)) {} }
    do throws(Portal.RequestError) {
      do throws(BusError) {
        try await bus.call(Self.interface(interface), method, arguments(.string(token)), timeout: limit)
      } catch {
        throw RequestError(error)
      }
      let result: Result<[String: Variant], RequestError>
      do throws(CancellationError) {
        result = try await answer.value()
      } catch { throw .cancelled }
      return try result.get()
    } catch {
      if error == .timedOut || error == .cancelled { bus.send(request, "Close") }
      throw error
    }
  }
}

extension Result<[String: Variant], Portal.RequestError> {
  /// Reads the signal `Response` (`ua{sv}`).
  fileprivate init(response: Variant) {
    switch (response[0]?.uint32, response[1]?.dictionary) {
    case (0, let results?): self = .success(results)
    case (1, _): self = .failure(.refused)
    // GNOME 48 answers 2, "ended in some other way", with the shortcuts that it has granted.
    case (2, let results?) where !results.isEmpty: self = .success(results)
    default: self = .failure(.failed)
    }
  }
}

extension Portal.RequestError {
  fileprivate init(_ error: BusError) {
    switch error {
    case _ where error.isAbsence: self = .gone
    case .refused, .noBus: self = .unavailable
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    }
  }
}
