import CGtk
import Glibc

@MainActor
public enum SessionBus {
  private static var isConnected = false
  private static var connected: Bus?
  private static let connecting: Task<Void, Never> = Task.unpooled {
    do throws(BusError) { connected = try await Bus.session() } catch {}
    isConnected = true
  }

  /// Starts connecting on a GLib thread, so that the first use of the bus waits less.
  public static func connectAhead() {
    MainLoop.attachMainActor()
    _ = connecting
  }

  /// Whether the session bus is available; if connecting takes longer than 2 s, it counts as unavailable.
  public static var isThere: Bool { bus != nil }

  /// The shared connection; nil if the bus is unavailable.
  static let bus: Bus? = {
    connectAhead()
    if !MainLoop.run(until: { isConnected }, atMost: .seconds(2)) {
      // Disable the bus, because GTK and GSettings would wait for it without a limit.
      g_setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1)
      connecting.cancel()
      MainLoop.run(until: { isConnected }, atMost: .seconds(2))
    }
    return connected
  }()

  /// Calls `body` when the bus closes the connection, for example at the end of the session.
  ///
  /// Without this call, GLib would end the process with SIGTERM.
  public static func onEnd(_ body: @escaping @MainActor () -> Void) {
    guard let bus else { return }
    g_dbus_connection_set_exit_on_close(bus.opaque, 0)
    bus.connect("closed", body)
  }

  /// The unique name of the connection that owns a name; nil if there is none.
  static func owner(of name: String) -> String? {
    do throws(BusError) {
      return try call(.bus, "GetNameOwner", [.string(name)], within: .seconds(1))[0]?.string
    } catch {
      return nil
    }
  }

  static func waitForAnswer(within limit: Duration) {
    do throws(BusError) { try call(.bus, "GetId", [], within: limit) } catch {}
  }

  /// Calls a method of another program that is already running, and waits for its answer, a tuple.
  ///
  /// - Throws: `BusError`, whose `isAbsence` is true if that program is not running.
  @discardableResult
  static func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant], within limit: Duration
  ) throws(BusError) -> Variant {
    guard let bus else { throw .noBus("") }
    var error: UnsafeMutablePointer<GError>?
    let answer = Variant.tuple(arguments).withPointer { arguments in
      g_dbus_connection_call_sync(
        bus.opaque, object.name, object.path, object.interface, method, arguments, nil,
        copypasta_G_DBUS_CALL_FLAGS_NO_AUTO_START, gint(clamping: limit.milliseconds), nil, &error)
    }
    guard let answer else { throw BusError(GLibError(taking: error)) }
    return Variant(taking: answer)
  }
}

/// An application's running instance, which can be called over the session bus within milliseconds and without GTK.
///
/// ```swift
/// let running = RunningApplication(id: "org.example.Notes")
/// if running.activate(action: "new-note", with: .ofThisLaunch()) == .notRunning { print("start it") }
/// ```
@MainActor
public struct RunningApplication {
  public enum Answer: Equatable, Sendable {
    case done
    /// The program is not running, or the bus is unavailable.
    case notRunning
    /// The call failed; the message is GLib's.
    case failed(String)
  }

  private static let timeout = Duration.seconds(5)

  private let id: String

  public init(id: String) { self.id = id }

  /// Asks the application to show its window.
  public func activate(with activation: Activation) -> Answer {
    ask("Activate", [platformData(activation)])
  }

  /// Activates one of the application's actions that take no parameter.
  public func activate(action: String, with activation: Activation = .ambient) -> Answer {
    ask("ActivateAction", [.string(action), .array(of: "v", []), platformData(activation)])
  }

  /// The display of the running instance, if it differs from this process's; nil if that is not known.
  public var otherDisplay: String? {
    do throws(BusError) {
      let answer = try SessionBus.call(
        .bus, "GetConnectionUnixProcessID", [.string(id)], within: .seconds(1))
      guard let process = answer[0]?.uint32 else { return nil }
      let its = Desktop.displays(in: ProgramFiles.initialEnvironment(of: String(process)))
      let own = Desktop.displays(in: ProgramFiles.initialEnvironment(of: "self"))
      return its.contains(where: own.contains) ? nil : its.first
    } catch {
      return nil
    }
  }

  /// Asks the application to quit, and waits until its process has closed its connection to the bus.
  public func quit() -> Answer {
    guard let owner = SessionBus.owner(of: id) else { return .notRunning }
    let answer = activate(action: "quit")
    guard answer == .done else { return answer }
    let end = ContinuousClock.now + Self.timeout
    while SessionBus.owner(of: owner) != nil {
      guard ContinuousClock.now < end else { return .failed(BusError.timedOut.description) }
      usleep(10_000)
    }
    return .done
  }

  /// Calls a method of an interface that the application exports at `path`; if it is starting, waits until it has
  /// exported the interface, for at most 5 s.
  ///
  /// - Returns: The answer, a tuple; nil if the program is not running, or the bus is unavailable.
  public func call(
    _ method: String, of interface: String, _ arguments: [Variant] = [], within limit: Duration
  ) throws(BusError) -> Variant? {
    guard SessionBus.isThere else { return nil }
    let object = RemoteObject(name: id, path: path, interface: interface)
    let end = ContinuousClock.now + Self.timeout
    while true {
      do throws(BusError) {
        return try SessionBus.call(object, method, arguments, within: limit)
      } catch {
        if error.isAbsence { return nil }
        guard error.isUnknownMethod, ContinuousClock.now < end else { throw error }
        usleep(10_000)
      }
    }
  }

  /// The path of the application's objects, such as `/org/example/Notes`.
  public var path: String { "/" + String(id.map { $0 == "." ? "/" : $0 }) }

  private func ask(_ method: String, _ arguments: [Variant]) -> Answer {
    do throws(BusError) {
      let answer = try call(method, of: "org.freedesktop.Application", arguments, within: Self.timeout)
      return answer == nil ? .notRunning : .done
    } catch {
      return .failed(error.description)
    }
  }

  /// The token under two names: the name in the specification, and the name that GTK 4.8 reads.
  private func platformData(_ activation: Activation) -> Variant {
    guard case .token(let token) = activation else { return .dictionary([:]) }
    return .dictionary(["desktop-startup-id": .string(token), "activation-token": .string(token)])
  }
}
