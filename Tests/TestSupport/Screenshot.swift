import Foundation

/// The pixels of the screen or of one window at one moment.
public struct Screenshot: Sendable {
  /// A colour without transparency.
  public struct Colour: Hashable, Sendable, CustomStringConvertible {
    /// The parts, each from 0 to 255.
    public let red, green, blue: Int

    /// A colour from its parts.
    public init(red: Int, green: Int, blue: Int) {
      self.red = red
      self.green = green
      self.blue = blue
    }

    /// The parts in the order red, green, blue.
    public var description: String { "rgb(\(red), \(green), \(blue))" }
  }

  /// Its size in pixels.
  public let width, height: Int

  /// One word a pixel, 0x00RRGGBB, row by row.
  private let pixels: [UInt32]

  /// Takes a picture of one window if it is given, or of the whole screen.
  public static func take(
    of window: DesktopWindow? = nil, on desktop: VirtualDesktop
  ) async throws -> Screenshot {
    try await desktop.windowSystem.picture(of: window?.id)
  }

  /// A picture from four bytes a pixel, as X servers have them: blue, green, red, and one that means nothing.
  init(bgrx bytes: [UInt8], width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = bytes.withUnsafeBytes { bytes in
      let words = bytes.bindMemory(to: UInt32.self)
      return [UInt32](unsafeUninitializedCapacity: width * height) { buffer, count in
        count = min(words.count, width * height)
        var index = 0
        while index < count {
          buffer[index] = UInt32(littleEndian: words[index]) & 0xff_ffff
          index += 1
        }
      }
    }
  }

  /// Reads the format that needs no library: "P6", width, height and 255 between white space, then the pixels.
  init(ppm: [UInt8]) throws {
    let header = ppm.prefix(64).split(maxSplits: 4, omittingEmptySubsequences: true) {
      $0 == 0x20 || $0 == 0x0a
    }
    guard header.count == 5, let width = Int(String(decoding: header[1], as: UTF8.self)),
      let height = Int(String(decoding: header[2], as: UTF8.self)), ppm.count >= width * height * 3
    else { throw TestSupportError("no picture, but \(ppm.count) bytes") }
    self.width = width
    self.height = height
    pixels = ppm.withUnsafeBufferPointer { ppm in
      let start = ppm.count - width * height * 3
      return [UInt32](unsafeUninitializedCapacity: width * height) { buffer, count in
        count = width * height
        var index = 0
        var byte = start
        while index < count {
          buffer[index] = UInt32(ppm[byte]) << 16 | UInt32(ppm[byte + 1]) << 8 | UInt32(ppm[byte + 2])
          index += 1
          byte += 3
        }
      }
    }
  }

  /// Takes a picture of the window with this number, such as a menu's.
  public static func take(ofWindow number: UInt, on desktop: VirtualDesktop) async throws -> Screenshot {
    try Screenshot(ppm: try await desktop.windowSystem.picture(of: number))
  }

  /// The colour of one pixel.
  public func colour(x: Int, y: Int) -> Colour {
    average(in: Rectangle(x: x, y: y, width: 1, height: 1))
  }

  /// The average colour of a rectangle, of which the part outside the picture is left out.
  public func average(in rectangle: Rectangle) -> Colour {
    var (red, green, blue, count) = (0, 0, 0, 0)
    for pixel in words(in: rectangle) {
      red += Int(pixel >> 16)
      green += Int(pixel >> 8 & 0xff)
      blue += Int(pixel & 0xff)
      count += 1
    }
    guard count > 0 else { return Colour(red: 0, green: 0, blue: 0) }
    return Colour(red: red / count, green: green / count, blue: blue / count)
  }

  /// Whether every pixel of a rectangle has the same colour: nothing is drawn there.
  public func isPlain(in rectangle: Rectangle) -> Bool {
    let words = words(in: rectangle)
    return words.first.map { first in words.allSatisfy { $0 == first } } ?? true
  }

  /// Whether a rectangle looks the same, pixel for pixel, in another picture.
  public func matches(_ other: Screenshot, in rectangle: Rectangle) -> Bool {
    words(in: rectangle) == other.words(in: rectangle)
  }

  /// How many pixels of a rectangle have each colour.
  func counts(in rectangle: Rectangle) -> [Colour: Int] {
    var counts: [UInt32: Int] = [:]
    for pixel in words(in: rectangle) { counts[pixel, default: 0] += 1 }
    return Dictionary(
      uniqueKeysWithValues: counts.map { pixel, count in
        (Colour(red: Int(pixel >> 16), green: Int(pixel >> 8 & 0xff), blue: Int(pixel & 0xff)), count)
      })
  }

  /// Writes it as a PNG file.
  public func save(to path: String) async throws {
    let header = Array("P6 \(width) \(height) 255\n".utf8)
    let body = pixels.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 0xff), UInt8($0 & 0xff)] }
    let result = try await Program.run(
      ["convert", "ppm:-", path], environment: ProcessInfo.processInfo.environment, input: header + body)
    guard result.exit == .code(0) else { throw TestSupportError("convert: \(result.errors)") }
  }

  /// The pixels of the part of a rectangle that lies in the picture, row by row.
  private func words(in rectangle: Rectangle) -> [UInt32] {
    let columns = max(0, rectangle.x)..<max(0, rectangle.x, min(width, rectangle.x + rectangle.width))
    let rows = max(0, rectangle.y)..<max(0, rectangle.y, min(height, rectangle.y + rectangle.height))
    if columns == 0..<width, rows == 0..<height { return pixels }
    var words: [UInt32] = []
    words.reserveCapacity(columns.count * rows.count)
    for row in rows {
      words += pixels[(row * width + columns.lowerBound)..<(row * width + columns.upperBound)]
    }
    return words
  }
}

extension Screenshot: CustomStringConvertible {
  /// The size: the pixels would fill a page of a test's report.
  public var description: String { "a picture of \(width) × \(height)" }
}
