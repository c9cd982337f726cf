import Testing

@testable import ClipHistory

@Suite("The unallocated space of a page")
struct UnallocatedSpaceTests {
  /// A page with rows at these places, of which the first is where the rows begin.
  private func page(type: UInt8 = 0x0d, rows: [Int], begin: Int, header: Int = 0) -> [UInt8] {
    var page = [UInt8](repeating: 0xaa, count: 4096)
    let numbers = [0, rows.count, begin].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let places = rows.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let start = [type] + numbers + [0] + places
    page.replaceSubrange(header..<header + start.count, with: start)
    return page
  }

  private func range(_ page: [UInt8], isFirst: Bool = false) -> Range<Int>? {
    page.withUnsafeBytes { ErasingFile.unallocatedSpace(of: $0, isFirst: isFirst) }
  }

  @Test func `is between the list of rows and the rows`() {
    #expect(range(page(rows: [3000, 4000], begin: 3000)) == 12..<3000)
    #expect(range(page(rows: [], begin: 4096)) == 8..<4096)
    #expect(range(page(rows: [3000], begin: 3000, header: 100), isFirst: true) == 110..<3000)
    #expect(range(page(rows: [10], begin: 10)) == 10..<10)
  }

  @Test(arguments: [0x00, 0x02, 0x05, 0x0a, 0xaa] as [UInt8])
  func `is not looked for elsewhere`(type: UInt8) {
    #expect(range(page(type: type, rows: [3000], begin: 3000)) == nil)
  }

  @Test func `is not looked for in what cannot be a page of rows`() {
    #expect(range(page(rows: [2999, 4000], begin: 3000)) == nil, "a row before the rows begin")
    #expect(range(page(rows: [3000, 5000], begin: 3000)) == nil, "a row behind the page")
    #expect(range(page(rows: [9], begin: 9)) == nil, "rows within the list")
    #expect(range(page(rows: [], begin: 5000)) == nil)
    #expect(range([UInt8](repeating: 0x0d, count: 4096)) == nil)
    #expect(range([UInt8](repeating: 0x0d, count: 16)) == nil)
  }
}
