extension ClipboardOwner {
  /// A representation of the clipboard's content, under one or more X11 targets or types.
  public struct Offer: Sendable {
    /// The names of the targets, such as `UTF8_STRING`; without a colon.
    public let targets: [String]
    /// Their answer; nil if they are listed and never answered.
    ///
    /// Up to 15 kB, for it goes by the command line; larger texts are for `VirtualDesktop.copy`.
    public let bytes: [UInt8]?

    /// An offer of these bytes.
    public init(targets: [String], bytes: [UInt8]?) {
      self.targets = targets
      self.bytes = bytes
    }

    /// A text in the forms that every toolkit offers.
    public static func text(_ text: String) -> Offer { self.text(bytes: Array(text.utf8)) }

    /// Bytes as a text, valid or not.
    public static func text(bytes: [UInt8]?) -> Offer {
      Offer(targets: ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING"], bytes: bytes)
    }

    /// A text that is listed, and never answered.
    public static let silentText = text(bytes: nil)

    /// HTML, as a browser offers it beside the text.
    public static func html(_ html: String) -> Offer {
      Offer(targets: ["text/html"], bytes: Array(html.utf8))
    }

    /// Files, as a file manager offers them beside the text.
    public static func files(_ paths: String...) -> Offer {
      let list = paths.map { "file://\($0)\r\n" }.joined()
      return Offer(targets: ["text/uri-list"], bytes: Array(list.utf8))
    }

    /// A picture, as far as anybody can tell from its first bytes.
    public static let image = Offer(
      targets: ["image/png"], bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

    /// The mark that a password manager adds to its text; `secret` is the value that counts.
    public static func hint(_ value: String = "secret") -> Offer {
      Offer(targets: ["x-kde-passwordManagerHint"], bytes: Array(value.utf8))
    }
  }
}
