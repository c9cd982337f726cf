import Foundation

/// The number in an environment variable, such as a seed or a number of rounds; `other` if it is not set.
public func environmentNumber(_ name: String, or other: Int) -> Int {
  ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? other
}

/// SplitMix64 (Steele, Lea, Flood, 2014), for reproducible random numbers.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes a generator whose numbers depend only on the seed.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
