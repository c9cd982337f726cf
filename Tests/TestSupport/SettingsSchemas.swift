/// Compiles the settings schemas of a folder into another folder, which is created if necessary.
public func compileSettingsSchemas(_ sources: String, into folder: String) async throws {
  try await Program.run(
    ["sh", "-c", #"mkdir -p "$0" && glib-compile-schemas --strict --targetdir="$0" "$1""#, folder, sources],
    environment: ["PATH": "/usr/bin:/bin"]
  ).succeeded()
}
