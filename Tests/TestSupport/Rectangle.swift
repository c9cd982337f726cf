/// A rectangle on the screen or in a window, in pixels.
public struct Rectangle: Equatable, Sendable, Decodable {
  /// The distance from the left edge of the screen or the window.
  public var x: Int
  /// The distance from the upper edge.
  public var y: Int
  /// The width.
  public var width: Int
  /// The height.
  public var height: Int

  /// Makes a rectangle with its upper left corner at `x`, `y`.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }
}
