import CGtk

/// A picture as pixels, for where the icon theme cannot help.
public struct Pixmap: Sendable, Equatable {
  /// Pixels in a row.
  public let width: Int
  /// Rows.
  public let height: Int
  /// The rows from the top, without gaps; each pixel is alpha, red, green, blue, a byte each, the colours not
  /// multiplied by alpha.
  public let argb: [UInt8]

  /// Draws an SVG as large as fits into a square of `size` pixels; nil if gdk-pixbuf cannot read it.
  public init?(svg: [UInt8], size: Int) {
    let bytes = g_bytes_new(svg, gsize(svg.count))
    defer { g_bytes_unref(bytes) }
    let stream = g_memory_input_stream_new_from_bytes(bytes)
    defer { g_object_unref(stream) }
    guard let picture = gdk_pixbuf_new_from_stream_at_scale(stream, gint(size), gint(size), 1, nil, nil)
    else {
      return nil
    }
    defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
    guard gdk_pixbuf_get_n_channels(picture) == 4, let pixels = gdk_pixbuf_get_pixels(picture) else {
      return nil
    }
    width = Int(gdk_pixbuf_get_width(picture))
    height = Int(gdk_pixbuf_get_height(picture))
    let rowSize = Int(gdk_pixbuf_get_rowstride(picture))
    var argb: [UInt8] = []
    argb.reserveCapacity(width * height * 4)
    for row in 0..<height {
      for column in 0..<width {
        let pixel = pixels + row * rowSize + column * 4
        argb += [pixel[3], pixel[0], pixel[1], pixel[2]]
      }
    }
    self.argb = argb
  }
}
