import ClipboardCore
import GtkKit
import SerialQueue

/// The text of an offer on Wayland, on the clipboard or in a drop, read through GDK.
@MainActor
struct OfferedText: @MainActor ClipboardOffer {
  let names: [String]
  /// Requests a format; throws if a condition of the read no longer holds.
  let open: @MainActor (RequestedFormat) async throws -> InputStream
  /// Throws if the owner's answer may be incomplete.
  var confirm: @MainActor (Answer) async throws -> Void = { _ in }
  /// Called when no further request for the text is expected: it has begun to arrive, or the last format is requested.
  var asked: @MainActor () -> Void = {}
  /// Called when the text has begun to arrive.
  var begun: @MainActor () -> Void = {}

  /// What an owner has sent.
  enum Answer: Equatable {
    case bytes
    /// No byte; if this was not the last format, the next one is requested.
    case empty(isLast: Bool)
  }

  func formats() async throws(TransferError) -> (texts: [TextFormat], hasHint: Bool) {
    (TextFormat.mimeTypesFirst.filter { names.contains($0.rawValue) }, names.contains(SecretHint.name))
  }

  func bytes(
    of format: RequestedFormat, within limits: TransferLimits
  ) async throws(TransferError) -> [UInt8] {
    let isLast = if case .text(_, let isLast) = format { isLast } else { true }
    let transfer = TextTransfer(limits: limits) {
      guard format.isText else { return }
      begun()
      asked()
    }
    do {
      let bytes = try await transfer.bytes {
        let stream = try await open(format)
        if format.isText, isLast { asked() }
        return stream
      }
      try await confirm(!bytes.isEmpty ? .bytes : .empty(isLast: isLast))
      return bytes
    } catch {
      // GDK's other errors are an owner's refusal.
      throw error is CancellationError ? .cancelled : error as? TransferError ?? .refused
    }
  }
}
