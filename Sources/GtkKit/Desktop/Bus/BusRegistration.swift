/// What one keeps for as long as something is to hold on the bus: a subscription, a watch, an exported object or a
/// name.
///
/// It ends when it is let go.
@MainActor
public final class BusRegistration {
  private var end: (@MainActor () -> Void)?

  init(end: @escaping @MainActor () -> Void) { self.end = end }

  isolated deinit {
    end?()
  }
}
