import GtkKit
import SerialQueue
import X11Kit

/// A shortcut through a key grab on X11.
///
/// Each press carries its time, which window managers require to give the window the focus.
@MainActor
final class KeyGrabShortcut: GlobalShortcutController.Backend {
  private let display: String
  private var grab: KeyGrab?
  private var keys: Accelerator?
  let observers = Observers<GlobalShortcutController.BackendEvent>()

  init(display: String) {
    self.display = display
  }

  func start(_ keys: Accelerator) async -> ShortcutState {
    self.keys = keys
    do throws(X11Error) {
      return .init(try await connected().grab(KeyCombination(keys)), of: keys)
    } catch {
      return .notHeld(.unsupported)
    }
  }

  func stop() async {
    keys = nil
    await grab?.release()
  }

  private func connected() throws(X11Error) -> KeyGrab {
    if let grab { return grab }
    let grab = try KeyGrab(display: display, ownWindow: Display.x11Leader) { [weak self] time in
      Task.unpooled { if let self, self.keys != nil { self.observers.notify(.pressed(.time(time))) } }
    } changed: { [weak self] state in
      Task.unpooled {
        if let self, let keys = self.keys { self.observers.notify(.became(.init(state, of: keys))) }
      }
    }
    self.grab = grab
    return grab
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
