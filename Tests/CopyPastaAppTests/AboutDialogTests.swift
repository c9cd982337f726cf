import Testing

@testable import CopyPastaApp

@MainActor
@Suite struct AboutDialogTests {
  @Test func `the licence is whole, and broken into lines only by the window that shows it`() {
    let file = String(decoding: PackageResources.LICENSE, as: UTF8.self)
    let shown = AboutDialog.license
    #expect(shown.split(whereSeparator: \.isWhitespace) == file.split(whereSeparator: \.isWhitespace))
    let paragraphs = shown.split(separator: "\n\n")
    #expect(paragraphs.count == 5 && !paragraphs.contains { $0.contains("\n") })
  }
}
