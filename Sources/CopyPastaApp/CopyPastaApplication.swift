import GtkKit

/// The life of the process: what it starts with, when it shows its window, and when it ends.
@MainActor
final class CopyPastaApplication {
  private let application = Application(id: CopyPasta.id)
  private var environment: Environment?
  private var window: HistoryWindow?
  private var isHeldByOffer = false
  private var isStartedAhead = false

  func run() -> Int32 {
    application.onStartup { [weak self] in self?.joinDesktop() }
    application.onActivate { [weak self] in self?.activated() }
    if !SessionBus.hasOwner(CopyPasta.id) { startAhead() }
    let status = application.run()
    end()
    return status
  }

  /// Draws the window before the program is registered on the bus, which took 18 ms of 119 to the first frame.
  ///
  /// Where another one was started at the same moment, `run` finds out and presents that one's window instead.
  private func startAhead() {
    isStartedAhead = true
    showWindow()
    MainLoop.run(until: { window?.isDrawn == true }, atMost: .seconds(1))
  }

  private func joinDesktop() {
    application.addAction("quit", keys: ["<Control>q"]) { [weak self] in self?.application.quit() }
    application.addAction("show") { [weak self] in self?.showWindow() }
    application.onTerminationSignal { [weak self] in self?.application.quit() }
    window?.join(application)
  }

  private func activated() {
    // The window is there already at the first one.
    if !isStartedAhead { showWindow() }
    isStartedAhead = false
  }

  private func showWindow() {
    let window = window ?? makeWindow()
    window.present()
    endHold()
  }

  private func makeWindow() -> HistoryWindow {
    Style.add(css: String(decoding: PackageResources.style_css, as: UTF8.self))
    let environment = Environment.live()
    environment.clipboard.onOfferLost { [weak self] in self?.endHold() }
    let window = HistoryWindow(environment)
    window.onClose { [weak self] in self?.windowClosed() }
    if application.isRegistered { window.join(application) }
    self.environment = environment
    self.window = window
    return window
  }

  /// The window was asked to close.
  ///
  /// What was copied out of the history must stay on the clipboard, and on the clipboard it is only while
  /// this process lives: so then it hides, and ends when another program copies.
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
    if let window {
      window.rememberSize()
      // What is on its way to the disk: a row that was deleted just now has to be gone.
      MainLoop.wait(atMost: .seconds(2)) { await window.settle() }
      window.destroy()
    }
    window = nil
    environment?.close()
    environment = nil
  }
}
