import CGtk

/// Runs one of GIO's asynchronous functions; cancelling the task cancels it.
///
/// - Parameters:
///   - start: calls the function, with the cancellable, callback and user data that it is given.
///   - finish: calls the function's `_finish`; nil means that it failed.
@MainActor
func awaitingResult<Value>(
  start: (UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?) -> Void,
  finish:
    @escaping @MainActor (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?) -> Value?
) async throws -> Value {
  let cancellable = Cancellable()
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
      start(
        cancellable.pointer, unsafeBitCast(callback, to: GAsyncReadyCallback.self),
        Closure.retained(completion))
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
  let error: GLibError?
}

private typealias Completion = @MainActor (OpaquePointer?) -> Void

/// A `GCancellable`, whose functions may be called from any thread (GIO's documentation of the type).
private final class Cancellable: @unchecked Sendable {
  let pointer = g_cancellable_new()

  func cancel() { g_cancellable_cancel(pointer) }

  deinit { g_object_unref(pointer) }
}
