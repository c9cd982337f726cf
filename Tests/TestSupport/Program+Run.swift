extension Program {
  /// The output and the exit status of a program.
  public struct Result: Sendable {
    let arguments: [String]
    /// How the program ended.
    public let exit: Exit
    /// The standard output, byte for byte.
    public let output: [UInt8]
    /// The standard error.
    public let errors: String

    /// The standard output as text, without newlines at its end.
    public var text: String {
      var text = Substring(decoding: output, as: UTF8.self)
      while text.last == "\n" { text.removeLast() }
      return String(text)
    }

    /// Returns itself, or throws an error with the program's standard error if the program failed.
    @discardableResult
    public func succeeded() throws -> Result {
      guard exit == .code(0) else { throw TestSupportError("\(arguments): \(errors)") }
      return self
    }
  }

  /// Runs a program to its end.
  ///
  /// - Throws: An error if the program had to be killed because it had not ended within the limit.
  public static func run(
    _ arguments: [String], environment: [String: String], input: [UInt8] = [],
    within limit: Duration = generousLimit
  ) async throws -> Result {
    let program = try Program(arguments, environment: environment, input: input)
    guard let exit = try await program.waitForExit(within: limit) else {
      try await program.killNow()
      throw TestSupportError("\(arguments): still running after \(limit)\n\(program.errors)")
    }
    return Result(arguments: arguments, exit: exit, output: program.output, errors: program.errors)
  }
}
