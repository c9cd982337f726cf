import GtkKit

/// The keys that the user was asked for and refused, so that the next start does not ask again.
///
/// Other keys are asked for; once they are granted, these may be, too.
@MainActor
struct RefusedKeys {
  private let file: KeyFile

  init(path: String) {
    file = KeyFile(path: path, group: "refused-shortcut")
  }

  func contains(_ keys: Accelerator) -> Bool {
    let kept = file.integers(["key", "modifiers"])
    return kept["key"] == Int(keys.key) && kept["modifiers"] == Int(keys.modifiers.rawValue)
  }

  func remember(_ keys: Accelerator) { keep(Int(keys.key), Int(keys.modifiers.rawValue)) }

  func forget() {
    if !file.integers(["key"]).isEmpty { keep(0, 0) }
  }

  private func keep(_ key: Int, _ modifiers: Int) {
    do throws(GLibError) {
      try file.write([("key", key), ("modifiers", modifiers)])
    } catch {
      complain(tr("CopyPasta cannot remember that the shortcut was refused: %s").filled(with: error.message))
    }
  }
}
