import CGtk

/// A `GError`, as a Swift value.
public struct GLibError: Error, Equatable, CustomStringConvertible {
  /// The error domain, such as `g-io-error-quark`.
  public let domain: String
  public let code: Int
  /// GLib's message, in the user's language.
  public let message: String

  public var description: String { message }

  /// The D-Bus error name, if the error is the reply to a D-Bus call.
  let busName: String?
}

extension GLibError {
  /// Converts an error that a C function returned through its `GError **` argument, and frees it.
  init(taking error: UnsafeMutablePointer<GError>?) {
    guard let error else {
      self.init(domain: "", code: 0, message: "", busName: nil)
      return
    }
    let name = g_dbus_error_get_remote_error(error)
    // Remove the D-Bus error name from the message.
    if name != nil { g_dbus_error_strip_remote_error(error) }
    self.init(
      domain: g_quark_to_string(error.pointee.domain).map { String(cString: $0) } ?? "",
      code: Int(error.pointee.code), message: String(cString: error.pointee.message),
      busName: name.map { String(taking: $0) })
    g_error_free(error)
  }
}

/// Awaits one of GIO's asynchronous functions; cancelling the task cancels the function.
///
/// - Parameters:
///   - limit: how long the function may take before it is cancelled; nil for no limit.
///   - start: calls the function with the given cancellable, callback and user data, or throws.
///   - finish: calls the matching `_finish` function; returns nil if that function fails.
@MainActor
func awaitingResult<Value>(
  within limit: Duration? = nil,
  start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?) throws -> Void,
  finish:
    @escaping @MainActor (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> Value?
) async throws -> Value {
  let cancellable = Cancellable()
  let deadline = limit.map { Timeout(after: $0) { cancellable.cancel() } }
  defer { deadline?.cancel() }
  return try await withTaskCancellationHandler {
    try Task.checkCancellation()
    let outcome: Outcome<Value> = await withCheckedContinuation { continuation in
      let completion: Completion = { result in
        var error: UnsafeMutablePointer<GError>?
        let value = finish(result, &error)
        continuation.resume(
          returning: Outcome(value: value, error: value == nil ? GLibError(taking: error) : nil))
      }
      let callback: @MainActor @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, result, data in
        Closure<Completion>.consume(data)(result.map { OpaquePointer($0) })
      }
      let data = Closure.retained(completion)
      do {
        try start(cancellable.pointer, unsafeBitCast(callback, to: GAsyncReadyCallback.self), data)
      } catch {
        _ = Closure<Completion>.consume(data)
        continuation.resume(returning: Outcome(value: nil, error: error))
      }
    }
    if let value = outcome.value { return value }
    try Task.checkCancellation()
    throw outcome.error ?? GLibError(taking: nil)
  } onCancel: {
    cancellable.cancel()
  }
}

@MainActor
private struct Outcome<Value> {
  let value: Value?
  let error: (any Error)?
}

private typealias Completion = @MainActor (OpaquePointer?) -> Void

/// A `GCancellable`, whose functions are thread-safe according to GIO's documentation.
private final class Cancellable: @unchecked Sendable {
  let pointer = g_cancellable_new()

  func cancel() { g_cancellable_cancel(pointer) }

  deinit { g_object_unref(pointer) }
}
