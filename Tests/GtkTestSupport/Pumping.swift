import CGtk
import TestSupport

/// Runs GLib's main loop and the main actor until a condition holds.
@MainActor
public func pump(
  _ what: String, seen: () async throws -> String = { "" }, until condition: () -> Bool
) async throws {
  try await waitUntil(what, every: .milliseconds(1), seen: seen) {
    while g_main_context_iteration(nil, 0) != 0 {}
    return condition()
  }
}

/// Runs asynchronous work that depends on GLib's main loop, and returns its result.
@MainActor
public func pumping<Value: Sendable>(
  _ body: @escaping @MainActor () async throws -> Value
) async throws -> Value {
  var result: Result<Value, any Error>?
  Task {
    do { result = .success(try await body()) } catch { result = .failure(error) }
  }
  try await pump("the end of what was awaited") { result != nil }
  guard let result else { throw CancellationError() }
  return try result.get()
}
