import CGtk
import Glibc

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
    /// There is no such program any more or yet, or no bus to reach it by.
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

  /// Asks it to show itself; waits for one that is starting.
  public func activate(with activation: Activation) -> Answer {
    untilStarted { ask("Activate", [platformData(activation)]) }
  }

  /// Asks it to run one of its actions, which has no parameter.
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
