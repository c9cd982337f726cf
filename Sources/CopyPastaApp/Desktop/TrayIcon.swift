import GtkKit
import SerialQueue

/// The icon in the desktop's tray: there while the user wants one, and back after a tray host has restarted.
///
/// If there is no tray, or no session bus, there is no icon and no message: nothing depends on it.
@MainActor
final class TrayIcon {
  /// What the user asks for with the icon or its menu.
  enum Request: Equatable {
    case toggle, show, preferences, quit
  }

  private let preferences: Preferences
  private let pause: ReadingPause
  private let connect: @MainActor () async throws(BusError) -> Bus
  private let requested: @MainActor (Request, Activation) -> Void
  private let shownChanged: @MainActor (Bool) -> Void
  private var item: TrayItem?
  private var isShown = false
  private var observation: ListenerToken?

  /// - Parameters:
  ///   - connect: the bus that the tray is on.
  ///   - requested: called for each request of the user, with the proof that the user made it.
  ///   - shownChanged: called when a tray host begins or ceases to show the icon.
  init(
    preferences: Preferences, pause: ReadingPause,
    connect: @escaping @MainActor () async throws(BusError) -> Bus = Bus.session,
    requested: @escaping @MainActor (Request, Activation) -> Void,
    shownChanged: @escaping @MainActor (Bool) -> Void
  ) {
    self.preferences = preferences
    self.pause = pause
    self.connect = connect
    self.requested = requested
    self.shownChanged = shownChanged
    observation = preferences.observe(.showsTrayIcon, weakly(self) { $0.update() })
    update()
  }

  /// Puts the icon there or takes it away, by the preference.
  private func update() {
    guard preferences.showsTrayIcon else {
      item = nil
      setShown(false)
      return
    }
    Task.unpooled { [weak self, connect] in
      do throws(BusError) {
        try self?.appear(on: try await connect())
      } catch {
        // Without a bus there is no tray; the program's start says so.
      }
    }
  }

  private func appear(on bus: Bus) throws(BusError) {
    // The preference may have changed again while the bus was waited for.
    guard preferences.showsTrayIcon, item == nil else { return }
    item = try TrayItem(
      on: bus, pause: pause, requested: requested, hostedChanged: weakly(self) { $0.setShown($1) })
  }

  private func setShown(_ isShown: Bool) {
    guard isShown != self.isShown else { return }
    self.isShown = isShown
    shownChanged(isShown)
  }
}
