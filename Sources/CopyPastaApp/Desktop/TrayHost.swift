import GtkKit
import SerialQueue

/// Follows whether the desktop has a tray.
///
/// A watcher on the bus keeps the list of items; hosts, such as a panel, show them. Most hosts are watchers as well.
@MainActor
final class TrayHost {
  static let watcher = RemoteObject(
    name: "org.kde.StatusNotifierWatcher", path: "/StatusNotifierWatcher",
    interface: "org.kde.StatusNotifierWatcher")

  private let bus: Bus
  private let changed: @MainActor (Bool) -> Void
  private var watcherOwner: String?
  private var registrations: [Bus.Registration] = []

  /// - Parameters:
  ///   - register: Registers an item with a watcher that has appeared; if it throws, no host shows the item.
  ///   - changed: Called with whether a host shows items, each time that this may have changed.
  init(
    on bus: Bus, register: @escaping @MainActor () async throws(BusError) -> Void = {},
    changed: @escaping @MainActor (Bool) -> Void
  ) {
    self.bus = bus
    self.changed = changed
    registrations = ["StatusNotifierHostRegistered", "StatusNotifierHostUnregistered"].map { signal in
      bus.subscribe(to: signal, of: Self.watcher, weakly(self) { host, _ in host.ask() })
    }
    registrations.append(
      bus.watchName(Self.watcher.name) { [weak self] in
        self?.watcherOwner = $0
        // Hold the tray weakly, so that an icon can be removed while a slow watcher has not answered.
        Task.unpooled {
          do throws(BusError) { try await register() } catch { return }
          self?.ask()
        }
      } vanished: { [weak self] in
        self?.watcherOwner = nil
        changed(false)
      })
  }

  private func ask() {
    let asked = watcherOwner
    Task.unpooled { [weak self, bus] in
      var isHosted = false
      do throws(BusError) {
        isHosted = try await bus.property("IsStatusNotifierHostRegistered", of: Self.watcher)?.bool == true
      } catch {
        // A watcher that does not answer counts as a watcher without a host.
      }
      // Ignore the answer if the watcher has exited since the call.
      if let self, let asked, asked == watcherOwner { changed(isHosted) }
    }
  }
}
