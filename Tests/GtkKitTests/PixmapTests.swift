import Testing

@testable import GtkKit

@Suite struct PixmapTests {
  private let half = """
    <svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><rect width="2" height="4" fill="#ff8000"/></svg>
    """

  @Test func `each pixel is alpha, red, green, blue`() throws {
    let pixmap = try #require(Pixmap(svg: Array(half.utf8), size: 2))
    #expect(pixmap.width == 2 && pixmap.height == 2)
    let row: [UInt8] = [255, 255, 128, 0, 0, 0, 0, 0]
    #expect(pixmap.argb == row + row)
  }

  @Test func `what is no picture gives none`() {
    #expect(Pixmap(svg: Array("no picture".utf8), size: 16) == nil)
    #expect(Pixmap(svg: [], size: 16) == nil)
  }
}
