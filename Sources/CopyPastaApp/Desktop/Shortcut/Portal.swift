import GtkKit

/// The desktop's portals for programs (`org.freedesktop.portal.Desktop`), over a connection of their own.
///
/// A portal takes a connection for the program that was registered on it before the first request, and GTK sends
/// requests of its own over the shared connection.
@MainActor
struct Portal {
  /// Why a portal gave nothing.
  enum RequestError: Error, Equatable {
    /// There is no such portal, or the portal could not make sense of the request.
    case unavailable
    /// The portal does not run, or ended meanwhile.
    case gone
    /// The portal gives this to installed programs only, and knows no program of this name.
    case notInstalled
    /// The user said no, or closed the question.
    case refused
    /// The portal ended the request without an answer of the user's.
    case failed
    /// No answer came in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
  }

  static let name = "org.freedesktop.portal.Desktop"
  static let path = "/org/freedesktop/portal/desktop"

  let bus: Bus

  /// An interface of the portals, such as `org.freedesktop.portal.GlobalShortcuts`.
  static func interface(_ interface: String, at path: String = path) -> RemoteObject {
    RemoteObject(name: name, path: path, interface: interface)
  }

  /// Tells the portals which program this is (xdg-desktop-portal 1.20 and newer).
  ///
  /// To be called before any request. Without it the name comes from the program's systemd scope, if it has one.
  func register(as id: String, within limit: Duration) async throws(Portal.RequestError) {
    do throws(BusError) {
      try await bus.call(
        Self.interface("org.freedesktop.host.portal.Registry"), "Register",
        [.string(id), .dictionary([:])], timeout: limit)
    } catch {
      // An older portal does not know the method, and a portal that finds no desktop file of ours goes on without.
      if case .refused = error { return }
      throw RequestError(error)
    }
  }

  /// Makes a request and waits for its answer, which a signal brings.
  ///
  /// - Parameters:
  ///   - limit: how long to wait; nil for as long as the user takes who is asked. A request that is given up is taken
  ///     back, with what it shows to the user.
  ///   - arguments: what to call the method with, given the value of its option `handle_token`.
  func request(
    _ method: String, of interface: String, within limit: Duration?, arguments: (Variant) -> [Variant]
  ) async throws(Portal.RequestError) -> [String: Variant] {
    // Another `Portal` on the same connection may have asked something, too.
    let token = "copypasta_" + String(UInt64.random(in: .min ... .max), radix: 16)
    let sender = String(bus.uniqueName.dropFirst().map { $0 == "." ? "_" : $0 })
    // The path is known beforehand: subscribing only after the call could be too late for the answer.
    let request = Self.interface(
      "org.freedesktop.portal.Request", at: "\(Self.path)/request/\(sender)/\(token)")
    let (answers, answer) = AsyncStream<Result<[String: Variant], RequestError>>.makeStream()
    let subscription = bus.subscribe(to: "Response", of: request) { answer.yield(.init(response: $0)) }
    let deadline = limit.map { Timeout(after: $0) { answer.yield(.failure(.timedOut)) } }
    var isThere = false
    // A portal that ends with the question on the screen answers no more.
    let watch = bus.watchName(Self.name) { _ in
      isThere = true
    } vanished: {
      if isThere { answer.yield(.failure(.gone)) }
    }
    defer { withExtendedLifetime((subscription, deadline, watch)) {} }
    do throws(Portal.RequestError) {
      do throws(BusError) {
        try await bus.call(Self.interface(interface), method, arguments(.string(token)), timeout: limit)
      } catch {
        throw RequestError(error)
      }
      // The first answer counts; without one the task was cancelled.
      for await result in answers { return try result.get() }
      throw .cancelled
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
    // GNOME 48 says "ended in some other way", and lists the shortcuts that it has granted.
    case (2, let results?) where !results.isEmpty: self = .success(results)
    default: self = .failure(.failed)
    }
  }
}

extension Portal.RequestError {
  fileprivate init(_ error: BusError) {
    switch error {
    case .refused(let name, _) where BusError.namesOfAbsence.contains(name): self = .gone
    // "An app id is required", of xdg-desktop-portal 1.21 and newer.
    case .refused(name: "org.freedesktop.portal.Error.NotAllowed", _): self = .notInstalled
    case .refused, .noBus: self = .unavailable
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    }
  }
}
