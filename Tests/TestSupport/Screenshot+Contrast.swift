import Foundation

extension Screenshot {
  /// The contrast between a rectangle's background, its most common colour, and the colour that differs most from it.
  ///
  /// It is the contrast ratio of the Web Content Accessibility Guidelines 2.1, from 1 to 21.
  public func contrast(in rectangle: Rectangle) -> Double {
    let ground = mostCommonColour(in: rectangle)
    return counts(in: rectangle).keys.map { $0.contrast(with: ground) }.max() ?? 1
  }

  /// The most common colour of a rectangle.
  public func mostCommonColour(in rectangle: Rectangle) -> Colour {
    counts(in: rectangle).max { $0.value < $1.value }?.key ?? Colour(red: 0, green: 0, blue: 0)
  }

  /// Whether a rectangle shows the same text as in another picture, in any colours and on any plain background.
  public func hasSameText(as other: Screenshot, in rectangle: Rectangle) -> Bool {
    matches(other, in: rectangle)
      || zip(coverage(of: rectangle), other.coverage(of: rectangle)).allSatisfy { abs($0 - $1) < 0.3 }
  }

  /// How much of each pixel of a rectangle is covered by text: 0 for the background, 1 for the inside of a letter.
  private func coverage(of rectangle: Rectangle) -> [Double] {
    let ground = mostCommonColour(in: rectangle)
    let distances = colours(in: rectangle).map {
      abs($0.red - ground.red) + abs($0.green - ground.green) + abs($0.blue - ground.blue)
    }
    let most = max(1, distances.max() ?? 1)
    return distances.map { Double($0) / Double(most) }
  }

  /// The texts of a line from left to right, separated by at least `gap` columns of one colour.
  public func texts(in line: Rectangle, gap: Int) -> [Rectangle] {
    let columns = (line.x..<line.x + line.width).filter {
      !isPlain(in: Rectangle(x: $0, y: line.y, width: 1, height: line.height))
    }
    return columns.reduce(into: [Range<Int>]()) { texts, x in
      if let last = texts.last, x - last.upperBound < gap {
        texts[texts.count - 1] = last.lowerBound..<x + 1
      } else {
        texts.append(x..<x + 1)
      }
    }.map { Rectangle(x: $0.lowerBound, y: line.y, width: $0.count, height: line.height) }
  }

  /// The rectangle's lines of text from top to bottom, each as wide as the rectangle, separated by rows of one colour.
  public func lines(in rectangle: Rectangle) -> [Rectangle] {
    var lines: [Rectangle] = []
    var start: Int?
    for y in rectangle.y...rectangle.y + rectangle.height {
      let row = Rectangle(x: rectangle.x, y: y, width: rectangle.width, height: 1)
      let isBlank = y == rectangle.y + rectangle.height || isPlain(in: row)
      if !isBlank {
        start = start ?? y
      } else if let first = start {
        lines.append(Rectangle(x: rectangle.x, y: first, width: rectangle.width, height: y - first))
        start = nil
      }
    }
    return lines
  }
}

extension Screenshot.Colour {
  /// The contrast ratio with another colour, from 1 to 21.
  public func contrast(with other: Screenshot.Colour) -> Double {
    let (dark, light) = (min(luminance, other.luminance), max(luminance, other.luminance))
    return (light + 0.05) / (dark + 0.05)
  }

  /// The relative luminance of sRGB, from 0 to 1.
  private var luminance: Double {
    func linear(_ part: Int) -> Double {
      let value = Double(part) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
