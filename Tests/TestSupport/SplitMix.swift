import Foundation

/// The number that a variable of the environment sets, such as a seed, or how long a test goes on.
public func environmentNumber(_ name: String, or other: Int) -> Int {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? other
}

/// SplitMix64 (Steele, Lea, Flood, 2014): random numbers that are the same in each run.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins where a seed says; another seed gives other numbers.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
