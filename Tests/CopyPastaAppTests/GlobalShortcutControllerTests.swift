import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

/// The choice of the backend that provides the shortcut, and the effect of changed settings.
@MainActor @Suite struct GlobalShortcutControllerTests {
  private let preferences = Preferences(schema: nil)
  private let first = FakeShortcut()
  private let second = FakeShortcut()
  private let controller: GlobalShortcutController
  nonisolated private static let held = ShortcutState.held(by: .keyGrab, name: "Ctrl+Super+V")
  nonisolated private static let byPortal = ShortcutState.held(by: .portal, name: "X")

  init() { controller = GlobalShortcutController(preferences, backends: [first, second]) }

  @Test(
    arguments: [
      (held, byPortal, held), (.notHeld(.unsupported), byPortal, byPortal),
      (.notHeld(.taken("X")), byPortal, .notHeld(.taken("X"))),
      (.notHeld(.missing("X")), byPortal, .notHeld(.missing("X"))),
      (.notHeld(.unsupported), .notHeld(.unsupported), .notHeld(.unsupported)),
    ] as [(ShortcutState, ShortcutState, ShortcutState)])
  func `the first shortcut backend that supports the keys is used, and none is asked more than once`(
    outcome: ShortcutState, next: ShortcutState, state: ShortcutState
  ) async throws {
    (first.outcome, second.outcome) = (outcome, next)
    controller.start()
    try await expect(state)
    #expect(first.asked == ["<Control><Super>v"])
    #expect(second.asked == (outcome == .notHeld(.unsupported) ? first.asked : []))
  }

  @Test func `an empty setting disables the shortcut, and new keys take effect at once`() async throws {
    try await startHeld()
    preferences.shortcut = ""
    try await expect(.off)
    #expect(!first.isHeld)
    preferences.shortcut = "<Alt>F1"
    try await expect(Self.held)
    #expect(first.asked == ["<Control><Super>v", "<Alt>F1"])
    preferences.shortcut = "nonsense"
    try await expect(.notHeld(.missing("nonsense")))
    #expect(!first.isHeld)
    // Preferences rejects keys that every program needs, but other programs can set them.
    preferences.shortcut = "<Control>c"
    try await expect(.notHeld(.taken("Ctrl+C")))
    #expect(first.asked.count == 2)
  }

  @Test func `a refused shortcut is set to none, so that the next start does not ask again`() async throws {
    first.outcome = .notHeld(.refused)
    controller.start()
    try await expect(.notHeld(.refused))
    #expect(preferences.shortcut == "" && second.asked == [])
    first.outcome = Self.held
    let next = GlobalShortcutController(preferences, backends: [first])
    next.start()
    await next.awaitOutcome()
    #expect(next.state == .off && first.asked.count == 1)
    // The user chooses the same keys again.
    preferences.shortcut = "<Control><Super>v"
    try await expect(Self.held)
  }

  @Test func `a released shortcut is free, and reports no press`() async throws {
    first.outcome = Self.held
    var presses = 0
    let token = controller.presses.add { _ in presses += 1 }
    controller.start()
    try await expect(Self.held)
    await controller.release()
    #expect(!first.isHeld)
    first.press(.ambient)
    // Preferences that close, and other programs, change nothing any more.
    controller.isPaused = true
    controller.isPaused = false
    preferences.shortcut = "<Alt>F1"
    await controller.awaitOutcome()
    #expect(presses == 0 && first.asked.count == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `a backend that has lost the keys is asked again`() async throws {
    try await startHeld()
    first.observers.notify(.lost)
    await controller.awaitOutcome()
    #expect(first.asked.count == 2 && controller.state == Self.held)
  }

  @Test func `changing the shortcut setting cancels a pending request to a backend`() async throws {
    first.outcome = nil
    controller.start()
    try await expect(.starting)
    try await pump("the request") { first.asked.count == 1 }
    preferences.shortcut = "<Alt>F1"
    try await pump("the second request") { first.asked.count == 2 }
    #expect(first.wasCancelled)
    first.outcome = Self.held
    preferences.shortcut = "<Alt>F2"
    try await expect(Self.held)
  }

  @Test func `the shortcut controller reports only the active backend's events`() async throws {
    var presses: [Activation] = []
    var states: [ShortcutState] = []
    let pressObservation = controller.presses.add { presses.append($0) }
    var observation: ListenerToken? = controller.changes.add { states.append(controller.state) }
    try await startHeld()
    first.press(.time(7))
    #expect(presses == [.time(7)])
    first.change(to: .starting)
    first.change(to: Self.held)
    // Changes in the second backend are ignored while the first backend holds the shortcut.
    second.change(to: .notHeld(.unsupported))
    #expect(states == [.starting, Self.held, .starting, Self.held])
    withExtendedLifetime((observation, pressObservation)) {}
    observation = nil
    first.change(to: .starting)
    #expect(states.count == 4)
  }

  /// A backend becomes available later, for example after a change of the keyboard layout.
  @Test func `no failure is shown until every backend has failed; any can take over later`() async throws {
    second.outcome = nil
    controller.start()
    try await pump("the request") { second.asked.count == 1 }
    #expect(controller.state == .starting)
    second.outcome = .notHeld(.unsupported)
    try await expect(.notHeld(.unsupported))
    second.change(to: .starting)
    second.change(to: Self.byPortal)
    try await expect(Self.byPortal)
    second.change(to: .notHeld(.unsupported))
    try await expect(.notHeld(.unsupported))
    first.change(to: Self.held)
    try await expect(Self.held)
  }

  /// Starts the controller, whose first backend holds the shortcut.
  private func startHeld() async throws {
    first.outcome = Self.held
    controller.start()
    try await expect(Self.held)
  }

  private func expect(_ state: ShortcutState) async throws {
    try await pump("\(state)") { controller.state == state }
  }
}

/// A backend with a scripted answer.
@MainActor
final class FakeShortcut: GlobalShortcutController.Backend {
  /// The answer; nil if the backend never answers.
  var outcome: ShortcutState? = .notHeld(.unsupported)
  private(set) var asked: [String] = []
  private(set) var isHeld = false
  private(set) var wasCancelled = false
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  func start(_ keys: Accelerator) async -> ShortcutState {
    asked.append(keys.name)
    while outcome == nil {
      do {
        try await Task.sleep(for: .milliseconds(1))
      } catch {
        wasCancelled = true
        return .notHeld(.unsupported)
      }
    }
    isHeld = true
    return outcome ?? .off
  }

  func stop() async { isHeld = false }
  func press(_ activation: Activation) { observers.notify(.pressed(activation)) }
  func change(to state: ShortcutState) { observers.notify(.became(state)) }
}
