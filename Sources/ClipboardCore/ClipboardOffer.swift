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
  /// After a format that was refused, empty or not answered, the next one is requested, because some programs list
  /// formats that they do not serve. Once a format was not answered for `limits.idleTimeout`, the remaining formats
  /// share one more `idleTimeout`. All text formats together have the time limit `limits.total`.
  ///
  /// - Returns: an empty text only if every format was served with an empty text.
  public nonisolated(nonsending) func content(
    within limits: TransferLimits
  ) async throws(TransferError) -> ClipboardContent {
    let formats = try await formats()
    guard !formats.texts.isEmpty else { return .noText }
    let end = ContinuousClock.now + limits.total
    if formats.hasHint, try await isSecret(within: limits) { return .secret }
    var limits = limits
    var failure: TransferError?
    for (format, rest) in zip(formats.texts, (0..<formats.texts.count).reversed()) {
      limits.total = end - .now
      guard limits.total > .zero else { throw .timedOut }
      do throws(TransferError) {
        let text = try await bytes(of: .text(format, isLast: rest == 0), within: limits)
        if !text.isEmpty { return .text(text) }
      } catch .timedOut {
        if failure != .timedOut { limits.idleTimeout /= max(rest, 1) }
        failure = .timedOut
      } catch .refused {
        failure = failure ?? .refused
      }
    }
    if let failure { throw failure }
    return .text([])
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
