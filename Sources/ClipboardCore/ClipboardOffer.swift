/// One format of an offer, which a read requests.
public enum RequestedFormat: Equatable, Sendable {
  /// The password manager's hint.
  case hint
  /// A text; no other format is requested after the last one.
  case text(TextFormat, isLast: Bool)

  /// The name under which owners list the format.
  public var name: String {
    switch self {
    case .hint: SecretHint.name
    case .text(let format, _): format.rawValue
    }
  }

  /// Whether its value may be recorded.
  public var isText: Bool { self != .hint }
}

/// An owner's offer, on the clipboard or in a drop: what X11 and Wayland do differently in a read.
public protocol ClipboardOffer {
  /// Returns the formats that the owner lists: its text formats in the order in which to request them, and whether it
  /// lists the hint.
  nonisolated(nonsending) func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool)

  /// Requests a format, unless a condition of the read no longer holds, and returns its value, a text in UTF-8.
  ///
  /// - Throws: `refused` or `timedOut` if the next format may be requested instead.
  nonisolated(nonsending) func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8]
}

extension ClipboardOffer {
  /// Reads the offer: its formats, the hint, and then one text format after the other until the owner serves one.
  ///
  /// All text formats together have the time limit `limits.total`.
  public nonisolated(nonsending) func content(
    within limits: TransferLimits
  ) async throws(TransferError) -> ClipboardContent {
    let formats = try await formats()
    guard !formats.texts.isEmpty else { return .noText }
    let end = ContinuousClock.now + limits.total
    if formats.hasHint, try await isSecret(within: limits) { return .secret }
    var forms = TextForms(formats.texts, idleTimeout: limits.idleTimeout)
    while let (form, wait) = forms.next() {
      do throws(TransferError) {
        var limits = limits
        (limits.idleTimeout, limits.total) = (wait, end - .now)
        guard limits.total > .zero else { throw .timedOut }
        let text = try await bytes(of: .text(form, isLast: forms.isEmpty), within: limits)
        if !text.isEmpty { return .text(text) }
        forms.skip(nil)
      } catch {
        guard error == .refused || error == .timedOut else { throw error }
        forms.skip(error)
      }
    }
    return .text(try forms.unserved.get())
  }

  private nonisolated(nonsending) func isSecret(
    within limits: TransferLimits
  ) async throws(TransferError) -> Bool {
    var limits = limits
    limits.bytes = SecretHint.longestValue
    do throws(TransferError) {
      return SecretHint.isSecretHint(try await bytes(of: .hint, within: limits))
    } catch {
      switch error {
      case .refused: return SecretHint.isSecretHint(nil)
      case .tooLarge: return false
      default: throw error
      }
    }
  }
}
