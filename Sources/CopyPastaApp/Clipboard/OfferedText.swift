import ClipboardCore
import GtkKit
import SerialQueue

/// The text of an offer on Wayland, on the clipboard or in a drop, read through GDK.
@MainActor
struct OfferedText {
  let formats: [String]
  let limits: TransferLimits
  /// Requests a format; throws if a condition of the read no longer holds.
  let open: @MainActor (_ format: String, _ isText: Bool) async throws -> InputStream
  /// Throws if the owner's answer may be incomplete.
  let confirm: @MainActor (Answer) async throws -> Void
  /// Called when no further request for the text is expected: it has begun to arrive, or the last form is requested.
  var asked: @MainActor () -> Void = {}
  /// Called when the text has begun to arrive.
  var begun: @MainActor () -> Void = {}

  /// What an owner has sent.
  enum Answer: Equatable {
    case bytes
    /// No byte; if this was not the last form, the next one is requested.
    case empty(isLast: Bool)
  }

  /// Returns the text in the first form that the owner serves; all forms together have one time limit.
  ///
  /// - Throws: A `TransferError` if the owner serves none, or what `open` and `confirm` throw.
  func content() async throws -> ClipboardContent {
    let wanted = TextFormat.mimeTypesFirst.filter(formats.contains)
    guard !wanted.isEmpty else { return .noText }
    let end = ContinuousClock.now + limits.total
    if formats.contains(SecretHint.name), try await isSecret() { return .secret }
    var forms = TextForms(wanted, idleTimeout: limits.idleTimeout)
    while let (form, wait) = forms.next() {
      do {
        let bytes = try await bytes(of: form, isLast: forms.isEmpty, within: wait, until: end)
        if !bytes.isEmpty { return .text(bytes) }
        forms.skip(nil)
      } catch is GLibError {
        forms.skip(.refused)
      } catch TransferError.timedOut {
        forms.skip(.timedOut)
      }
    }
    return .text(try forms.unserved.get())
  }

  private func isSecret() async throws -> Bool {
    var limits = limits
    limits.bytes = SecretHint.longestValue
    do {
      return SecretHint.isSecretHint(
        try await bytes(of: SecretHint.name, isText: false, isLast: true, limits))
    } catch TransferError.tooLarge {
      return false
    } catch is GLibError {
      return SecretHint.isSecretHint(nil)
    }
  }

  private func bytes(
    of form: String, isLast: Bool, within wait: Duration, until end: ContinuousClock.Instant
  ) async throws -> [UInt8] {
    var limits = limits
    limits.idleTimeout = wait
    limits.total = end - .now
    guard limits.total > .zero else { throw TransferError.timedOut }
    return try await bytes(of: form, isText: true, isLast: isLast, limits)
  }

  private func bytes(
    of form: String, isText: Bool, isLast: Bool, _ limits: TransferLimits
  ) async throws -> [UInt8] {
    let transfer = TextTransfer(
      limits: limits,
      begun: {
        if isText {
          begun()
          asked()
        }
      })
    let bytes = try await transfer.bytes {
      let stream = try await open(form, isText)
      if isText, isLast { asked() }
      return stream
    }
    try await confirm(!bytes.isEmpty ? .bytes : .empty(isLast: isLast))
    return bytes
  }
}
