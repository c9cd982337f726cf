import CGtk
import Glibc

/// Calls on the main loop each time that the process receives a signal, for as long as it lives.
@MainActor
func onUnixSignal(_ signal: Int32, _ body: @escaping @MainActor () -> Void) {
  let received: @MainActor @convention(c) (gpointer?) -> gboolean = { data in
    Callback<Void>.behind(data).body()
    return 1
  }
  g_unix_signal_add_full(
    G_PRIORITY_DEFAULT, signal, unsafeBitCast(received, to: GSourceFunc.self), Callback(body).retained,
    releaseCallback)
}
