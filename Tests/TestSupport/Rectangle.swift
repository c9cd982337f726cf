/// A rectangle on the screen, in pixels from its upper left corner.
public struct Rectangle: Equatable, Sendable, Decodable {
  /// The distance from the left edge of the screen, or of the window it is in.
  public var x: Int
  /// The distance from the upper edge.
  public var y: Int
  /// How wide it is.
  public var width: Int
  /// How high it is.
  public var height: Int

  /// A rectangle with its upper left corner at `x`, `y`.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}
