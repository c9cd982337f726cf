import Foundation
import TestSupport
import Testing

/// Other programs receive a copied text completely, in every format.
///
/// `OwnerTests` covers misbehaving requestors on X11.
@Suite(.keepsPictures, .tags(.survivesOthers)) struct ServingTests {
  @Test(arguments: VirtualDesktop.Kind.all)
  func `every program can paste a large copied text, in every format`(_ kind: VirtualDesktop.Kind)
    async throws
  {
    try await Scene.run(on: kind) { scene in
      let sum = try await scene.copyOutOfHistory(aTextOf: 16 << 20)
      let forms = kind.textForms.map { "\(kind.requestors[0]) -t '\($0)'" }
      for program in kind.requestors.dropFirst() + forms {
        #expect(try await scene.digest(of: program) == sum, "\(program)")
      }
      if kind != .x11 {
        // GNOME lists the types in a different order.
        let types = try await scene.desktop.run(["wl-paste", "--list-types"]).text.split(separator: "\n")
        #expect(types.sorted() == ["text/plain", "text/plain;charset=UTF-8", "text/plain;charset=utf-8"])
      }
    }
  }

  /// One requestor never reads, and five are killed midway; `DeferredContentTests` has more of them.
  ///
  /// There is no session bus, because GLib ignores SIGPIPE, too, once it uses sockets.
  @Test func `on Wayland, misbehaving requestors disturb no other requestor`() async throws {
    try await VirtualDesktop.with(.wayland) { desktop in
      try await Scene.fillHistory(with: ["another row"], on: desktop)
      let noBus = ["DBUS_SESSION_BUS_ADDRESS": "disabled:"]
      let app = try await CopyPasta.launch(on: desktop, environment: noBus)
      let scene = Scene(desktop: desktop, app: app)
      let sum = try await scene.copyOutOfHistory(aTextOf: 8 << 20)
      let silent = try scene.desktop.start(["bash", "-c", "wl-paste -n | sleep 1000"])
      let killed = "for i in 1 2 3 4 5; do wl-paste -n | head -c 100000 >/dev/null; done"
      _ = try await scene.desktop.run(["bash", "-c", killed])
      #expect(try await scene.digest(of: desktop.kind.requestors[0]) == sum)
      try await scene.desktop.press("End", "Return")
      try await scene.expectClipboard("another row")
      try await silent.stop()
      try await scene.capture("the next copy")
      #expect(try await app.stop() == .code(0))
    }
  }
}

extension VirtualDesktop.Kind {
  /// The commands that paste on this kind of desktop.
  fileprivate var requestors: [String] {
    switch self {
    case .x11: ["xclip -o -selection clipboard", "xsel -b -o"]
    case .wayland, .gnome, .labwc, .kde: ["wl-paste -n"]
    }
  }

  /// The formats that programs request.
  ///
  /// Formats without a slash exist only on X11. On Wayland GDK does not offer them; the compositor provides them for
  /// X11 programs.
  fileprivate var textForms: [String] {
    let both = ["text/plain;charset=utf-8", "text/plain"]
    return self == .x11 ? both + ["UTF8_STRING", "STRING", "TEXT"] : both
  }
}

extension Scene {
  /// A text of `size` bytes that does not repeat, with characters of two and four bytes.
  static func text(ofSize size: Int) -> String {
    var text = ""
    var line = 0
    while text.utf8.count + 64 < size {
      line += 1
      text += "line \(line) é 🍝 of a large text\n"
    }
    return text + String(repeating: ".", count: size - text.utf8.count)
  }

  /// Captures a text of `size` bytes and then a small text, and copies the large text with the keyboard.
  ///
  /// - Returns: the text's size and SHA-256.
  fileprivate func copyOutOfHistory(aTextOf size: Int) async throws -> String {
    let text = Scene.text(ofSize: size)
    try await desktop.copy(text)
    try await waitForNewest(ofSize: size)
    let sum = try await digest(of: desktop.kind.requestors[0])
    #expect(sum.hasPrefix("\(size) "))
    try await desktop.copy("small")
    try await waitForNewest(ofSize: 5)
    try await focusNewestRow()
    try await desktop.press("Down", "Return")
    if desktop.kind == .gnome {
      // The requestor takes the focus, without which the program could not copy.
      try await waitUntil("a copy") { try await desktop.paste()?.count == size }
    }
    try await waitUntil("the large text on the clipboard", within: .seconds(60)) {
      try await digest(of: desktop.kind.requestors[0]) == sum
    }
    return sum
  }

  /// Waits until the newest clip has this size.
  ///
  /// Reading the whole text from the database repeatedly would take too long.
  private func waitForNewest(ofSize size: Int) async throws {
    try await waitUntil("a clip of \(size) bytes", within: .seconds(60)) {
      try await history.query("SELECT byte_count FROM clip ORDER BY id DESC LIMIT 1") == "\(size)"
    }
  }

  /// The size and the SHA-256 of a program's output.
  fileprivate func digest(of program: String) async throws -> String {
    let command = "pasted=$(mktemp) && \(program) >$pasted; wc -c <$pasted; sha256sum <$pasted; rm $pasted"
    let result = try await desktop.run(["bash", "-c", command], within: .seconds(60))
    let lines = result.text.split(separator: "\n")
    return "\(lines.first ?? "") \(lines.last?.prefix(64) ?? "")"
  }
}
