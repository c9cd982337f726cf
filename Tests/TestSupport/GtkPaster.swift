/// A GTK 4 program that pastes when its window becomes active: a third real client, and one like most of a desktop.
public enum GtkPaster {
  /// The size and the SHA-256 of what it got, as `12 abc…`.
  public static func paste(
    on desktop: VirtualDesktop, within limit: Duration = generousLimit
  ) async throws -> String {
    let result = try await desktop.run(["/usr/bin/python3", Fixture.path("gtk_paster.py")], within: limit)
    guard result.exit == .code(0) else { throw TestSupportError("the GTK paster: \(result.errors)") }
    return result.text
  }

  /// The version of the GTK that it runs on, such as `[4, 24]`.
  public static func version(on desktop: VirtualDesktop) async throws -> [Int] {
    let result = try await desktop.run(["/usr/bin/python3", Fixture.path("gtk_paster.py"), "--version"])
    return result.text.split(separator: " ").compactMap { Int($0) }
  }
}
