import Foundation

/// A picture of the screen or of one window.
public struct Screenshot: Sendable {
  /// A colour without transparency.
  public struct Colour: Hashable, Sendable, CustomStringConvertible {
    /// The parts, each from 0 to 255.
    public let red, green, blue: Int

    /// A colour from its parts.
    public init(red: Int, green: Int, blue: Int) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The parts in the order red, green, blue.
    public var description: String { "rgb(\(red), \(green), \(blue))" }
  }

  /// The size in pixels.
  public let width, height: Int

  /// The rows of pixels as received, because comparing bytes is fast even in a debug build.
  private let pixels: [UInt8]
  /// The bytes per pixel, and the offsets of the components in a pixel.
  private let layout: (stride: Int, red: Int, green: Int, blue: Int)

  /// Takes a picture of one window, or of the whole screen.
  public static func take(
    of window: DesktopWindow? = nil, on desktop: VirtualDesktop
  ) async throws -> Screenshot {
    try await desktop.windowSystem.picture(of: window?.id)
  }

  /// Makes a picture from the pixels of an X server: four bytes each, blue, green, red and an unused one.
  init(bgrx pixels: [UInt8], width: Int, height: Int) {
    self.width = width
    self.height = height
    self.pixels = pixels
    layout = (4, 2, 1, 0)
  }

  /// Parses a binary PPM: "P6", width, height and 255, separated by white space, and the pixels.
  init(ppm: [UInt8]) throws {
    let header = ppm.prefix(64).split(maxSplits: 4, omittingEmptySubsequences: true) {
      $0 == 0x20 || $0 == 0x0a
    }
    guard header.count == 5, let width = Int(String(decoding: header[1], as: UTF8.self)),
      let height = Int(String(decoding: header[2], as: UTF8.self)), ppm.count >= width * height * 3
    else { throw TestSupportError("no picture, but \(ppm.count) bytes") }
    self.width = width
    self.height = height
    pixels = Array(ppm.suffix(width * height * 3))
    layout = (3, 0, 1, 2)
  }

  /// The colour of one pixel.
  public func colour(x: Int, y: Int) -> Colour { average(in: Rectangle(x: x, y: y, width: 1, height: 1)) }

  /// The average colour of a rectangle, without its part outside the picture.
  public func average(in rectangle: Rectangle) -> Colour {
    var (red, green, blue, count) = (0, 0, 0, 0)
    for (colour, number) in counts(in: rectangle) {
      red += colour.red * number
      green += colour.green * number
      blue += colour.blue * number
      count += number
    }
    guard count > 0 else { return Colour(red: 0, green: 0, blue: 0) }
    return Colour(red: red / count, green: green / count, blue: blue / count)
  }

  /// Whether all pixels of a rectangle have the same colour, which means that nothing is drawn there.
  public func isPlain(in rectangle: Rectangle) -> Bool {
    var first: [UInt8]?
    return allRows(of: rectangle) { row in
      // In the first row, compare each pixel with the one before it. Compare all other rows with the first one.
      defer { first = first ?? Array(row) }
      return first.map { isSame(row, $0[...]) }
        ?? isSame(row.dropFirst(layout.stride), row.dropLast(layout.stride))
    }
  }

  /// Whether a rectangle has the same pixels in another picture.
  public func matches(_ other: Screenshot, in rectangle: Rectangle) -> Bool {
    isSame(bytes(in: rectangle)[...], other.bytes(in: rectangle)[...])
  }

  /// The number of pixels of each colour in a rectangle.
  func counts(in rectangle: Rectangle) -> [Colour: Int] {
    var counts: [UInt32: Int] = [:]
    for pixel in values(in: rectangle) { counts[pixel, default: 0] += 1 }
    return Dictionary(uniqueKeysWithValues: counts.map { pixel, count in (Colour(pixel), count) })
  }

  /// The colour of each pixel of a rectangle.
  func colours(in rectangle: Rectangle) -> [Colour] { values(in: rectangle).map(Colour.init) }

  /// The colour of each pixel of a rectangle, as a number.
  private func values(in rectangle: Rectangle) -> [UInt32] {
    var values: [UInt32] = []
    _ = allRows(of: rectangle) { row in
      var start = row.startIndex
      while start < row.endIndex {
        let (red, green, blue) = (
          row[start + layout.red], row[start + layout.green], row[start + layout.blue]
        )
        values.append(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
        start += layout.stride
      }
      return true
    }
    return values
  }

  /// Whether `holds` returns true for each row of a rectangle, without the part outside the picture.
  private func allRows(of rectangle: Rectangle, _ holds: (ArraySlice<UInt8>) -> Bool) -> Bool {
    let columns = max(0, rectangle.x)..<max(0, rectangle.x, min(width, rectangle.x + rectangle.width))
    let rows = max(0, rectangle.y)..<max(0, rectangle.y, min(height, rectangle.y + rectangle.height))
    return rows.allSatisfy { row in
      let start = (row * width + columns.lowerBound) * layout.stride
      return holds(pixels[start..<start + columns.count * layout.stride])
    }
  }

  private func bytes(in rectangle: Rectangle) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = allRows(of: rectangle) { row in
      bytes += row
      return true
    }
    return bytes
  }
}

extension Screenshot.Colour {
  fileprivate init(_ pixel: UInt32) {
    self.init(red: Int(pixel >> 16), green: Int(pixel >> 8 & 0xff), blue: Int(pixel & 0xff))
  }
}

extension Screenshot: CustomStringConvertible {
  /// Only the size, because the pixels would fill pages of a test's report.
  public var description: String { "a picture of \(width) × \(height)" }
}

/// Compares with `memcmp`, because a loop takes a hundred times as long in a debug build.
private func isSame(_ some: ArraySlice<UInt8>, _ others: ArraySlice<UInt8>) -> Bool {
  some.withUnsafeBytes { some in
    others.withUnsafeBytes { others in
      guard let first = some.baseAddress, let second = others.baseAddress else {
        return some.count == others.count
      }
      return some.count == others.count && memcmp(first, second, some.count) == 0
    }
  }
}
