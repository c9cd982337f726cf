import GtkKit

extension Accelerator {
  /// As the XDG shortcuts specification writes it, which the portal wants: `CTRL+LOGO+v`.
  ///
  /// The specification knows neither Hyper nor Meta; they are left out.
  var portalTrigger: String {
    let names: [(Modifiers, String)] = [
      (.control, "CTRL"), (.alt, "ALT"), (.shift, "SHIFT"), (.logo, "LOGO"),
    ]
    return (names.filter { modifiers.contains($0.0) }.map(\.1) + [keyName]).joined(separator: "+")
  }
}
