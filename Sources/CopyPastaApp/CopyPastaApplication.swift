import GtkKit

/// The life of the process: what it starts with, when it shows its window, and when it ends.
@MainActor
final class CopyPastaApplication {
  private let application = Application(id: CopyPasta.id)
  private var environment: Environment?
  private var window: HistoryWindow?
  private var isHeldByOffer = false

  func run() -> Int32 {
    application.onStartup { [weak self] in self?.start() }
    application.onActivate { [weak self] in self?.showWindow() }
    application.onShutdown { [weak self] in self?.end() }
    return application.run()
  }

  private func start() {
    Style.add(css: String(decoding: PackageResources.style_css, as: UTF8.self))
    let environment = Environment.live()
    environment.clipboard.onOfferLost { [weak self] in self?.endHold() }
    self.environment = environment
    application.addAction("quit", keys: ["<Control>q"]) { [weak self] in self?.application.quit() }
    application.addAction("show") { [weak self] in self?.showWindow() }
    application.onTerminationSignal { [weak self] in self?.application.quit() }
  }

  private func showWindow() {
    guard let environment else { return }
    let window = window ?? HistoryWindow(in: application, environment)
    if self.window == nil {
      self.window = window
      window.onClose { [weak self] in self?.windowClosed() }
    }
    window.present()
    endHold()
  }

  /// The window was asked to close. What was copied out of the history must stay on the clipboard, and on the
  /// clipboard it is only while this process lives: so then it hides, and ends when another program copies.
  private func windowClosed() {
    guard let environment, environment.clipboard.isOffering else {
      application.quit()
      return
    }
    window?.hide()
    guard !isHeldByOffer else { return }
    isHeldByOffer = true
    application.hold()
  }

  private func endHold() {
    guard isHeldByOffer else { return }
    isHeldByOffer = false
    application.release()
    if window?.isShown != true { application.quit() }
  }

  private func end() {
    window?.rememberSize()
    window?.destroy()
    window = nil
    environment?.close()
    environment = nil
  }
}
