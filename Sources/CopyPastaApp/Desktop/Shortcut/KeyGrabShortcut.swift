import GtkKit
import SerialQueue
import X11Kit

/// Keys that are grabbed from the X server.
///
/// Each press comes with its time, so the window is sure to get the focus.
@MainActor
final class KeyGrabShortcut: GlobalShortcutController.Backend {
  private let display: String
  private var grab: KeyGrab?
  private var keys: Accelerator?
  private var activated: (@MainActor (Activation) -> Void)?
  private var changed: (@MainActor (ShortcutState) -> Void)?

  init(display: String) {
    self.display = display
  }

  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    do throws(X11Error) {
      return .init(await (try await connected()).grab(KeyCombination(keys)), of: keys)
    } catch {
      return .notHeld(.unsupported)
    }
  }

  func stop() async {
    keys = nil
    await grab?.release()
  }

  func onActivated(_ body: @escaping @MainActor (Activation) -> Void) { activated = body }
  func onChange(_ body: @escaping @MainActor (ShortcutState) -> Void) { changed = body }

  private func connected() async throws(X11Error) -> KeyGrab {
    if let grab { return grab }
    let grab = try KeyGrab(display: display)
    await grab.setHandlers { [weak self] time in
      Task.unpooled { self?.pressed(at: time) }
    } change: { [weak self] state in
      Task.unpooled { self?.became(state) }
    }
    self.grab = grab
    return grab
  }

  private func pressed(at time: UInt32) {
    if keys != nil { activated?(.time(time)) }
  }

  private func became(_ state: KeyGrab.State) {
    if let keys { changed?(.init(state, of: keys)) }
  }
}

extension ShortcutState {
  fileprivate init(_ state: KeyGrab.State, of keys: Accelerator) {
    switch state {
    case .held: self = .held(by: .keyGrab, name: keys.label)
    case .taken: self = .notHeld(.taken(keys.label))
    case .missing: self = .notHeld(.missing(keys.label))
    case .released, .connectionLost: self = .notHeld(.unsupported)
    }
  }
}

extension KeyCombination {
  fileprivate init(_ keys: Accelerator) {
    let pairs: [(Accelerator.Modifiers, Modifiers)] = [
      (.shift, .shift), (.control, .control), (.alt, .alt), (.logo, .logo), (.hyper, .hyper), (.meta, .meta),
    ]
    let held = pairs.filter { keys.modifiers.contains($0.0) }.map(\.1)
    self.init(keysym: keys.key, modifiers: Modifiers(held))
  }
}
