import CGtk
import Glibc

/// The session's message bus.
@MainActor
public enum SessionBus {
  private static var isConnected = false
  private static var connected: Bus?
  private static let connecting: Task<Void, Never> = Task.unpooled {
    do throws(BusError) { connected = try await Bus.session() } catch {}
    isConnected = true
  }

  /// Begins to connect, on a thread of GLib's, so that the first use of the bus waits less.
  public static func connectAhead() {
    MainLoop.attachMainActor()
    _ = connecting
  }

  /// Whether there is a session bus; a bus that does not let this process in within 2 s counts as none.
  public static var isThere: Bool { bus != nil }

  /// The connection that is shared; nil if there is no bus.
  static let bus: Bus? = {
    connectAhead()
    if !MainLoop.run(until: { isConnected }, atMost: .seconds(2)) {
      // From now on there is no bus: GTK and GSettings would wait for it without a limit.
      g_setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", 1)
      connecting.cancel()
      MainLoop.run(until: { isConnected }, atMost: .seconds(2))
    }
    return connected
  }()

  /// Calls `body` when the bus has gone, and with it the session; without it GLib would end the process.
  public static func onEnd(_ body: @escaping @MainActor () -> Void) {
    guard let bus else { return }
    g_dbus_connection_set_exit_on_close(bus.opaque, 0)
    bus.connect("closed", body)
  }

  /// Takes a name for this process.
  ///
  /// The bus decides, so that of two programs that start at the same moment exactly one gets it.
  /// - Returns: false if another program has it; true also if there is no bus, for then nobody else is to be found.
  public static func claim(_ name: String) -> Bool {
    let doNotQueue: UInt32 = 4
    let alreadyOwned: UInt32 = 3
    do throws(GLibError) {
      let answer = try call(
        .bus, "RequestName", [.string(name), .uint32(doNotQueue)], within: .seconds(1))
      return answer[0]?.uint32 != alreadyOwned
    } catch {
      return true
    }
  }

  /// Waits until the bus has answered a question of its own.
  static func waitForAnswer(within limit: Duration) {
    do throws(GLibError) { try call(.bus, "GetId", [], within: limit) } catch {}
  }

  /// Calls a method of another program that runs already, and waits for its answer, a tuple.
  ///
  /// - Throws: what went wrong; `GLibError.isNoSuchName` if that program does not run.
  @discardableResult
  static func call(
    _ object: RemoteObject, _ method: String, _ arguments: [Variant], within limit: Duration
  ) throws(GLibError) -> Variant {
    guard let bus else { throw GLibError(taking: nil) }
    var error: UnsafeMutablePointer<GError>?
    let answer = Variant.tuple(arguments).withPointer { arguments in
      g_dbus_connection_call_sync(
        bus.opaque, object.name, object.path, object.interface, method, arguments, nil,
        copypasta_G_DBUS_CALL_FLAGS_NO_AUTO_START, gint(clamping: limit.milliseconds), nil, &error)
    }
    guard let answer else { throw GLibError(taking: error) }
    return Variant(taking: answer)
  }
}

/// A program that runs already, as its application on the session bus: asked without GTK, in a few milliseconds.
///
/// ```swift
/// let running = RunningApplication(id: "org.example.Notes")
/// if running.activate("new-note", with: .ofThisLaunch()) == .notRunning { print("start it") }
/// ```
@MainActor
public struct RunningApplication {
  /// The outcome of a request.
  public enum Answer: Equatable, Sendable {
    /// The program did what was asked.
    case done
    /// The program does not run, or there is no bus to reach it by.
    case notRunning
    /// The program has its name, and cannot be asked for anything yet.
    case starting
    /// The program does not answer as it should; the text is GLib's.
    case failed(String)
  }

  /// How long a program that runs may take to answer.
  private static let timeout = Duration.seconds(5)

  private let id: String

  /// Refers to an application by its id.
  public init(id: String) { self.id = id }

  /// Asks the program to show itself; waits for one that is starting.
  public func activate(with activation: Activation) -> Answer {
    untilStarted { ask("Activate", [platformData(activation)]) }
  }

  /// Asks the program to run one of its actions without a parameter.
  public func activate(action: String, with activation: Activation = .ambient) -> Answer {
    ask("ActivateAction", [.string(action), .array(of: "v", []), platformData(activation)])
  }

  /// Asks until the answer is no longer `starting`.
  public func untilStarted(_ question: () -> Answer) -> Answer {
    let end = ContinuousClock.now + Self.timeout
    while true {
      let answer = question()
      guard answer == .starting, ContinuousClock.now < end else { return answer }
      usleep(10_000)
    }
  }

  private func ask(_ method: String, _ arguments: [Variant]) -> Answer {
    guard SessionBus.isThere else { return .notRunning }
    let object = RemoteObject(
      name: id, path: "/" + String(id.map { $0 == "." ? "/" : $0 }), interface: "org.freedesktop.Application")
    do throws(GLibError) {
      try SessionBus.call(object, method, arguments, within: Self.timeout)
      return .done
    } catch {
      if error.isNoSuchName || error.isNoReply { return .notRunning }
      return error.isNoSuchMethod ? .starting : .failed(error.message)
    }
  }

  /// The token under both names: that of the specification, and that which GTK 4.8 looks for.
  private func platformData(_ activation: Activation) -> Variant {
    guard case .token(let token) = activation else { return .dictionary([:]) }
    return .dictionary(["desktop-startup-id": .string(token), "activation-token": .string(token)])
  }
}
