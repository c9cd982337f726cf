/// How long a wait lasts at the longest: far beyond what a loaded machine needs.
///
/// Only a failing test meets it.
public let generousLimit = Duration.seconds(120)

/// Polls `condition` until it holds, and says whether it did within the limit.
///
/// For what must come true only. A proof that nothing happened is made by letting a later event happen, never by
/// waiting for a while.
///
///     #expect(try await eventually { try await app.history.count() == 3 })
public nonisolated(nonsending) func eventually(
  within limit: Duration = generousLimit, every pause: Duration = .milliseconds(20),
  _ condition: () async throws -> Bool
) async throws -> Bool {
  let deadline = ContinuousClock.now + limit
  while true {
    if try await condition() { return true }
    guard ContinuousClock.now < deadline else { return false }
    try await Task.sleep(for: pause)
  }
}

/// Polls `condition` until it holds, or throws an error that names `what` did not come true, and what was `seen`.
public nonisolated(nonsending) func waitUntil(
  _ what: String, within limit: Duration = generousLimit, every pause: Duration = .milliseconds(20),
  seen: () async throws -> String = { "" }, _ condition: () async throws -> Bool
) async throws {
  guard try await eventually(within: limit, every: pause, condition) else {
    let seen = try await seen()
    throw TestSupportError("\(what): not so after \(limit)" + (seen.isEmpty ? "" : "; seen: \(seen)"))
  }
}

/// Polls `value` until it is there, or throws an error that names `what` was missing, and what was `seen`.
public nonisolated(nonsending) func waitFor<Value>(
  _ what: String, within limit: Duration = generousLimit, every pause: Duration = .milliseconds(20),
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
