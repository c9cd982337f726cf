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

  /// The pixels from left to right and from top to bottom, as 0xRRGGBB.
  private let pixels: [UInt32]

  /// Takes a picture of one window, or of the whole screen.
  public static func take(
    of window: DesktopWindow? = nil, on desktop: VirtualDesktop
  ) async throws -> Screenshot {
    try await desktop.windowSystem.picture(of: window?.id)
  }

  /// Makes a picture from the pixels of an X server: four bytes each, blue, green, red and an unused one.
  init(bgrx bytes: [UInt8], width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = stride(from: 0, to: 4 * width * height, by: 4).map {
      UInt32(bytes[$0 + 2]) << 16 | UInt32(bytes[$0 + 1]) << 8 | UInt32(bytes[$0])
    }
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
    pixels = stride(from: ppm.count - width * height * 3, to: ppm.count, by: 3).map {
      UInt32(ppm[$0]) << 16 | UInt32(ppm[$0 + 1]) << 8 | UInt32(ppm[$0 + 2])
    }
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
    let rows = rows(of: rectangle)
    let first = rows.first?.first
    return rows.allSatisfy { row in row.allSatisfy { $0 == first } }
  }

  /// Whether a rectangle has the same pixels in another picture.
  public func matches(_ other: Screenshot, in rectangle: Rectangle) -> Bool {
    rows(of: rectangle) == other.rows(of: rectangle)
  }

  /// The number of pixels of each colour in a rectangle.
  func counts(in rectangle: Rectangle) -> [Colour: Int] {
    var counts: [UInt32: Int] = [:]
    for pixel in rows(of: rectangle).joined() { counts[pixel, default: 0] += 1 }
    return Dictionary(uniqueKeysWithValues: counts.map { pixel, count in (Colour(pixel), count) })
  }

  /// The colour of each pixel of a rectangle.
  func colours(in rectangle: Rectangle) -> [Colour] { rows(of: rectangle).joined().map(Colour.init) }

  /// The rows of a rectangle, without the part outside the picture.
  private func rows(of rectangle: Rectangle) -> [ArraySlice<UInt32>] {
    let columns = max(0, rectangle.x)..<max(0, rectangle.x, min(width, rectangle.x + rectangle.width))
    let rows = max(0, rectangle.y)..<max(0, rectangle.y, min(height, rectangle.y + rectangle.height))
    return rows.map { pixels[$0 * width + columns.lowerBound..<$0 * width + columns.upperBound] }
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
