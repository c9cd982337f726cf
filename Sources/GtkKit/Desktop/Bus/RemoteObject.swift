import CGtk

/// One interface of an object of another program: where calls go to, and where signals come from.
public struct RemoteObject: Sendable, Equatable {
  /// The program's name on the bus.
  public let name: String
  /// The object's path in it.
  public let path: String
  /// The interface of the object.
  public let interface: String

  /// Refers to an object, which need not exist.
  public init(name: String, path: String, interface: String) {
    self.name = name
    self.path = path
    self.interface = interface
  }

  /// Whether a message can be addressed to it.
  ///
  /// GDBus takes anything else for a mistake of the program's, and part of it may come from other programs.
  var isWellFormed: Bool {
    g_dbus_is_name(name) != 0 && g_variant_is_object_path(path) != 0
      && g_dbus_is_interface_name(interface) != 0
  }
}
