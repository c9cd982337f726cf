// A program whose compositor exits while its main loop is busy. It prints `busy`, waits for SIGUSR1, hides its window,
// and prints `lost` when the loss is reported.

import Glibc
import GtkKit

func say(_ word: String) {
  let line = Array((word + "\n").utf8)
  _ = write(STDOUT_FILENO, line, line.count)
}

var goOn = sigset_t()
sigemptyset(&goOn)
sigaddset(&goOn, SIGUSR1)
sigprocmask(SIG_BLOCK, &goOn, nil)
Display.preferFastStart()
guard Display.open() else { exit(2) }
Display.onLoss {
  say("lost")
  exit(1)
}
let window = Window(title: "Probe")
window.present()
MainLoop.run(until: { window.isShownAndActive }, atMost: .seconds(20))
let work = Timeout(after: .zero) {
  say("busy")
  var number: Int32 = 0
  sigwait(&goOn, &number)
  window.isVisible = false
}
MainLoop.run(until: { false }, atMost: .seconds(60))
work.cancel()
