/// A GTK 4 program that pastes when its window becomes active; it requests the clipboard as most desktop programs do.
public enum GtkRequestor {
  /// Pastes, and returns the size and the SHA-256 of the text, as `12 abc…`.
  public static func paste(on desktop: VirtualDesktop) async throws -> String {
    try await desktop.run(Fixture.python("gtk_requestor.py")).succeeded().text
  }

  /// The version of its GTK, such as `[4, 24]`.
  public static func version(on desktop: VirtualDesktop) async throws -> [Int] {
    let result = try await desktop.run(Fixture.python("gtk_requestor.py", ["--version"]))
    return result.text.split(separator: " ").compactMap { Int($0) }
  }
}
