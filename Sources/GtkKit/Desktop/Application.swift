import CGtk
import Glibc

/// The application on the desktop: a single process, identified by its application id.
///
/// This is a plain `GApplication`, because GtkApplication would call several session services before the first window.
///
/// ```swift
/// let application = Application(id: "org.example.Notes")
/// application.addAction("new-note") { [application] in show(application.activation) }
/// guard application.register() else { return }   // another process is the application
/// application.hold()
/// application.run()
/// ```
@MainActor
public final class Application: Object {
  /// Creates the application; `id` is also its D-Bus name, the name of its desktop file, and the class of its windows.
  public convenience init(id: String) {
    // On X11, GTK uses the program name as the first part of WM_CLASS.
    g_set_prgname(id)
    self.init(Owned(taking: UnsafeMutableRawPointer(copypasta_object_new(Self.type).unsafelyUnwrapped)))
    g_application_set_application_id(cast(), id)
    // As a service, a process that is not the first one does not become a remote control of the first one.
    g_application_set_flags(cast(), copypasta_G_APPLICATION_IS_SERVICE)
  }

  /// A `GApplication` that stores the token of the request that is being handled.
  private static let type: GType = {
    let fill: @MainActor @convention(c) (gpointer?, gpointer?) -> Void = { table, _ in
      let functions = table?.assumingMemoryBound(to: GApplicationClass.self)
      functions?.pointee.before_emit = { application, data in
        let values = data.map { Variant(borrowing: $0).dictionary ?? [:] } ?? [:]
        let token = (values["activation-token"] ?? values["desktop-startup-id"])?.string
        g_object_set_data_full(asObject(application), tokenKey, token.map { g_strdup($0) }, g_free)
      }
      functions?.pointee.after_emit = { application, _ in
        g_object_set_data(asObject(application), tokenKey, nil)
      }
    }
    return g_type_register_static_simple(
      g_application_get_type(), "CopyPastaApplication", guint(MemoryLayout<GApplicationClass>.size),
      unsafeBitCast(fill, to: GClassInitFunc.self), guint(MemoryLayout<GApplication>.size), nil,
      GTypeFlags(rawValue: 0))
  }()

  /// The activation that another program has sent with the request that is being handled.
  public var activation: Activation {
    guard let token = g_object_get_data(cast(), tokenKey), token.load(as: CChar.self) != 0 else {
      return .ambient
    }
    return .token(String(cString: token.assumingMemoryBound(to: CChar.self)))
  }

  /// Receives each key that is pressed while a menu of one of the application's windows is open, and returns whether it
  /// handled the key.
  public var onMenuKey: (@MainActor (Accelerator) -> Bool)?

  /// Calls `body` when the window should be shown, because the program was launched again or activated over D-Bus.
  public func onActivate(_ body: @escaping @MainActor () -> Void) { connect("activate", body) }

  /// Exports the actions, and then claims the application's id on the session bus.
  ///
  /// The bus decides atomically, so of two processes that start at the same moment only one gets the id. From now on,
  /// the main loop handles requests.
  ///
  /// - Returns: false if another process has the id. Without a bus, returns true, because no other process can be found.
  public func register() -> Bool { g_application_register(cast(), nil, nil) != 0 }

  private(set) var keys: [(action: String, keys: [String])] = []

  /// Adds an action that other programs can activate over D-Bus.
  public func addAction(_ name: String, keys: [String] = [], _ body: @escaping @MainActor () -> Void) {
    GtkKit.addAction(name, to: opaque) { _ in body() }
    self.keys.append(("app." + name, keys))
  }

  /// Adds a stateful action that other programs can toggle over D-Bus.
  public func addAction(_ action: ToggleAction) { g_action_map_add_action(opaque, action.opaque) }

  /// Keeps the program running until `quit`, even without a window.
  public func hold() { g_application_hold(cast()) }

  /// Makes `run` return at the main loop's next iteration.
  public func quit() { g_application_quit(cast()) }

  /// Runs the application until it quits; returns the exit status.
  public func run() -> Int32 { g_application_run(cast(), 0, nil) }

  /// Calls `body` on SIGTERM, SIGINT or SIGHUP instead of the default action.
  ///
  /// A signal that was ignored at the start, for example because of `nohup` or a shell's `&`, stays ignored.
  public func onTerminationSignal(_ body: @escaping @MainActor () -> Void) {
    let received: SourceBody = {
      body()
      return true
    }
    for signal in [SIGTERM, SIGINT, SIGHUP] where !isIgnored(signal) {
      g_unix_signal_add_full(
        G_PRIORITY_DEFAULT, signal, callSourceBody, Closure.retained(received), releaseClosure)
    }
  }
}

private let tokenKey = "copypasta-token"

private func asObject(_ application: UnsafeMutablePointer<GApplication>?) -> UnsafeMutablePointer<GObject>? {
  UnsafeMutableRawPointer(application)?.assumingMemoryBound(to: GObject.self)
}

private func isIgnored(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  // 1 is SIG_IGN, a macro that Swift does not import.
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}
