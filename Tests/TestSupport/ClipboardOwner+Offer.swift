extension ClipboardOwner {
  /// A representation of the clipboard's content, under one or more X11 targets or types.
  public struct Offer: Sendable {
    /// The names of the targets, such as `UTF8_STRING`; a name must not contain a colon.
    public let targets: [String]
    /// The answer to a request.
    ///
    /// At most 15 kB, because the bytes are passed on the command line. Use `VirtualDesktop.copy` for larger texts.
    public let bytes: [UInt8]

    /// A text under the targets that every toolkit offers.
    public static func text(_ text: String) -> Offer { self.text(bytes: Array(text.utf8)) }

    /// Bytes that are offered as a text and need not be valid UTF-8.
    public static func text(bytes: [UInt8]) -> Offer {
      Offer(targets: ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING"], bytes: bytes)
    }

    /// HTML, as a browser offers it in addition to the text.
    public static func html(_ html: String) -> Offer {
      Offer(targets: ["text/html"], bytes: Array(html.utf8))
    }

    /// Files, as a file manager offers them in addition to the text.
    public static func files(_ paths: String...) -> Offer {
      let list = paths.map { "file://\($0)\r\n" }.joined()
      return Offer(targets: ["text/uri-list"], bytes: Array(list.utf8))
    }

    /// An image: only the signature of a PNG file.
    public static let image = Offer(
      targets: ["image/png"], bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

    /// The hint that a password manager offers with its text.
    ///
    /// Only the value `secret` marks the text as secret.
    public static func hint(_ value: String) -> Offer {
      Offer(targets: ["x-kde-passwordManagerHint"], bytes: Array(value.utf8))
    }
  }
}
