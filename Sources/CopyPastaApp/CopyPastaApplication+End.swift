import Glibc
import GtkKit

/// How the program ends.
extension CopyPastaApplication {
  /// Has the program end at the next turn of the main loop.
  func quit() {
    isEnding = true
    // One that does not run yet will not start; told to quit before, it would complain.
    if application.isRegistered { application.quit() }
  }

  /// Ends the program where no window is shown and nothing would be missed.
  func endIfUnneeded() {
    if environment.clipboard.isOffering { reasons.hold(.offer) } else { reasons.end(.offer) }
    let isShown = window?.isShown == true || dialogs?.areOpen == true
    if !isShown && reasons.isEmpty { quit() }
  }

  /// Takes everything down, once the main loop has ended.
  func end() {
    dialogs?.close()
    dialogs = nil
    window?.hide()
    MainLoop.wait(atMost: .seconds(3)) { [window, environment] in
      // What is on its way to the disk: a row that was deleted just now has to be gone.
      await window?.settle()
      await environment.clipboard.handOver()
    }
    popup = nil
    // Taken out first: a window that finds the display gone as it goes leads to `displayLost`, which asks for it.
    window.take()?.destroy()
    trayIcon = nil
    environment.close()
  }

  /// The X server or the compositor has ended: so must this program, with all that is on its way to the disk.
  func displayLost() {
    complain(tr("The display has gone."))
    window?.rememberSize()
    // On Wayland it would wait for the main loop, which does not run any more.
    window?.content?.endReading()
    MainLoop.finish(atMost: .seconds(2)) { [window, environment] in
      await window?.settle()
      await environment.closeHistory()
    }
    exit(1)
  }
}
