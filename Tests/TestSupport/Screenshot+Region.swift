extension Screenshot {
  /// Whether every pixel of a rectangle has the same colour: nothing is drawn there.
  public func isPlain(in rectangle: Rectangle) -> Bool {
    let colours = region(rectangle)
    return colours.allSatisfy { $0 == colours.first }
  }

  /// Whether a rectangle looks the same, pixel for pixel, in another picture.
  public func matches(_ other: Screenshot, in rectangle: Rectangle) -> Bool {
    region(rectangle) == other.region(rectangle)
  }

  /// The pixels of a rectangle that lie in the picture, row by row.
  func region(_ rectangle: Rectangle) -> [Colour] {
    (max(0, rectangle.y)..<max(0, min(height, rectangle.y + rectangle.height))).flatMap { y in
      (max(0, rectangle.x)..<max(0, min(width, rectangle.x + rectangle.width))).map { colour(x: $0, y: y) }
    }
  }
}
