import Foundation

/// The default time limit of a wait, far beyond what a loaded machine needs, so that only failing tests reach it.
public let generousLimit = Duration.seconds(120)

/// Polls `condition` until it is true, and returns whether it became true within the limit.
///
/// Use this only for conditions that must become true. To prove that nothing happens, wait for a later event rather
/// than for a fixed time.
///
///     #expect(try await eventually { try await app.history.count() == 3 })
///
/// - Parameter pause: the time between two polls; if none is given, it grows from 10 to 200 ms, because a poll may
///   start programs, which slow down what is waited for.
/// - Throws: An error of `condition`: immediately, or after the limit if it may pass (see `mayPass`).
public nonisolated(nonsending) func eventually(
  within limit: Duration = generousLimit, every pause: Duration? = nil,
  _ condition: () async throws -> Bool
) async throws -> Bool {
  let deadline = ContinuousClock.now + limit
  var growing = Duration.milliseconds(10)
  while true {
    do {
      if try await condition() { return true }
      guard ContinuousClock.now < deadline else { return false }
    } catch {
      guard mayPass(error), ContinuousClock.now < deadline else { throw error }
    }
    try await Task.sleep(for: pause ?? growing)
    growing = min(growing * 1.5, .milliseconds(200))
  }
}

/// Whether an error only says that a file, a row or a picture is not there yet.
func mayPass(_ error: any Error) -> Bool {
  switch error {
  case let error as TestSupportError: error.mayPass
  case CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile: true
  default: false
  }
}

/// Polls `condition` until it is true; after the limit, throws an error with `what` and `seen`.
public nonisolated(nonsending) func waitUntil(
  _ what: String, within limit: Duration = generousLimit, every pause: Duration? = nil,
  seen: () async throws -> String = { "" }, _ condition: () async throws -> Bool
) async throws {
  guard try await eventually(within: limit, every: pause, condition) else {
    let seen = try await seen()
    throw TestSupportError("\(what): not so after \(limit)" + (seen.isEmpty ? "" : "; seen: \(seen)"))
  }
}

/// Polls `value` until it is not nil; after the limit, throws an error with `what` and `seen`.
public nonisolated(nonsending) func waitFor<Value>(
  _ what: String, within limit: Duration = generousLimit, every pause: Duration? = nil,
  seen: () async throws -> String = { "" }, _ value: () async throws -> Value?
) async throws -> Value {
  var found: Value?
  try await waitUntil(what, within: limit, every: pause, seen: seen) {
    found = try await value()
    return found != nil
  }
  guard let found else { throw TestSupportError("\(what): not there") }
  return found
}
