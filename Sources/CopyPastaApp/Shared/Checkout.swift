import Glibc
import GtkKit

/// The project's folder, if the program runs out of it and is not installed: `swift run`, tests, benchmarks.
@MainActor
struct Checkout {
  private let folder: String
  private let buildFolder: String

  /// The checkout that the program was built in by SwiftPM; nil for an installed program.
  init?() {
    guard let program = ProgramFiles.program else { return nil }
    let parts = program.split(separator: "/")
    guard let build = parts.firstIndex(where: { $0.hasPrefix(".build") }) else { return nil }
    folder = "/" + parts[..<build].joined(separator: "/")
    buildFolder = "/" + parts.dropLast().joined(separator: "/")
  }

  /// The folder with what an installation would put into its places.
  var data: String { folder + "/data" }

  /// The schema of the settings, compiled beside the program if that was not done since it changed: `swift run`
  /// alone does not call `meson-helpers/internal/stage`.
  func schema(_ id: String) -> SettingsSchema? {
    let source = "\(data)/\(id).gschema.xml"
    let compiled = buildFolder + "/share/glib-2.0/schemas"
    guard let changed = modificationTime(of: source) else { return nil }
    if modificationTime(of: compiled + "/gschemas.compiled").map({ $0 < changed }) ?? true {
      do throws(GLibError) {
        try SettingsSchema.compile(data, into: compiled)
      } catch {
        complain(tr("The settings’ schema could not be compiled: %s").filled(with: error.message))
      }
    }
    return SettingsSchema(id, compiledIn: compiled)
  }

  /// In seconds since 1970 UTC; nil if there is no such file.
  private func modificationTime(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mtim.tv_sec : nil
  }
}
