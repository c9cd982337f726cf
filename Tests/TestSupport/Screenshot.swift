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

  private let pixels: [UInt8]

  /// Takes a picture of one window where it is given, or of the whole screen.
  public static func take(
    of window: DesktopWindow? = nil, on desktop: VirtualDesktop
  ) async throws -> Screenshot {
    try Screenshot(ppm: try await desktop.windowSystem.picture(of: window?.id))
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
    var sums = (red: 0, green: 0, blue: 0)
    var count = 0
    for y in max(0, rectangle.y)..<max(0, min(height, rectangle.y + rectangle.height)) {
      for x in max(0, rectangle.x)..<max(0, min(width, rectangle.x + rectangle.width)) {
        let offset = (y * width + x) * 3
        sums.red += Int(pixels[offset])
        sums.green += Int(pixels[offset + 1])
        sums.blue += Int(pixels[offset + 2])
        count += 1
      }
    }
    guard count > 0 else { return Colour(red: 0, green: 0, blue: 0) }
    return Colour(red: sums.red / count, green: sums.green / count, blue: sums.blue / count)
  }

  /// Writes it as a PNG file.
  public func save(to path: String) async throws {
    let header = Array("P6 \(width) \(height) 255\n".utf8)
    let result = try await Program.run(
      ["convert", "ppm:-", path], environment: ProcessInfo.processInfo.environment, input: header + pixels)
    guard result.exit == .code(0) else { throw TestSupportError("convert: \(result.errors)") }
  }

  /// Reads the format that needs no library: "P6", width, height and 255 between white space, then the pixels.
  private init(ppm: [UInt8]) throws {
    let header = ppm.split(maxSplits: 4, omittingEmptySubsequences: true) { $0 == 0x20 || $0 == 0x0a }
    guard header.count == 5, let width = Int(String(decoding: header[1], as: UTF8.self)),
      let height = Int(String(decoding: header[2], as: UTF8.self)), ppm.count >= width * height * 3
    else { throw TestSupportError("no picture, but \(ppm.count) bytes") }
    self.width = width
    self.height = height
    pixels = Array(ppm.suffix(width * height * 3))
  }
}

extension Screenshot: CustomStringConvertible {
  /// The size: the pixels would fill a page of a test's report.
  public var description: String { "a picture of \(width) × \(height)" }
}
