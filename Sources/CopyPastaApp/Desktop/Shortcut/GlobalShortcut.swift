import GtkKit

/// One way in which keys that are pressed in any program reach this one.
///
/// ```swift
/// shortcut.onActivated { activation in window.toggle(activation) }
/// let state = await shortcut.start(keys)   // held, or not held and why
/// ```
@MainActor
protocol GlobalShortcut: AnyObject {
  /// Asks for keys, and returns once it is known what came of it: `.held` or `.notHeld`.
  ///
  /// To be called again only after `stop`. Cancelling the task gives up.
  func start(_ keys: Accelerator) async -> ShortcutState

  /// Gives back what it has, if anything.
  func stop() async

  /// Forgets that the user did not want it: now they do.
  func forgetRefusal()

  /// Calls for each press, with what lets the window have the keyboard.
  func onActivated(_ body: @escaping @MainActor (Activation) -> Void)

  /// Calls when the state becomes another one by itself.
  func onChange(_ body: @escaping @MainActor (ShortcutState) -> Void)
}

extension GlobalShortcut {
  /// Most have nobody to ask.
  func forgetRefusal() {}
}
