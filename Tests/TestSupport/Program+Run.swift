extension Program {
  /// What a program that has ended left behind.
  public struct Result: Sendable {
    /// How it ended.
    public let exit: Exit
    /// What it wrote on standard output, byte for byte.
    public let output: [UInt8]
    /// What it wrote on standard error.
    public let errors: String

    /// The standard output as text, without the newline at its end.
    public var text: String {
      var text = Substring(decoding: output, as: UTF8.self)
      while text.last == "\n" { text.removeLast() }
      return String(text)
    }
  }

  /// Runs a program to its end.
  ///
  /// - Throws: if it has not ended within the limit; it is killed then.
  public static func run(
    _ arguments: [String], environment: [String: String], input: [UInt8] = [],
    within limit: Duration = generousLimit
  ) async throws -> Result {
    let program = try Program(arguments, environment: environment, input: input)
    guard let exit = try await program.waitForExit(within: limit) else {
      try await program.killNow()
      throw TestSupportError("\(arguments): still running after \(limit)\n\(program.errors)")
    }
    return Result(exit: exit, output: program.output, errors: program.errors)
  }
}
