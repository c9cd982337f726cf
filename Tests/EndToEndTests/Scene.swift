import ClipHistory
import Foundation
import TestSupport
import Testing

/// The program on a private desktop with a private history, for one test.
struct Scene {
  /// How many times a test repeats an action; `COPYPASTA_ROUNDS`, which `.ci/run` sets, overrides the number.
  static let rounds = ProcessInfo.processInfo.environment["COPYPASTA_ROUNDS"].flatMap(Int.init) ?? 3

  let desktop: VirtualDesktop
  let app: CopyPasta

  var history: HistoryDatabase { app.history }

  /// Starts the program, runs a test on it, and stops it; the program must log nothing.
  ///
  /// - Parameters:
  ///   - kind: the kind of desktop.
  ///   - clips: the texts in the history before the start, oldest first.
  ///   - mostlyWaits: whether `body` waits for several seconds, see `VirtualDesktop.with`.
  ///   - environment: additional environment variables of the program.
  nonisolated(nonsending) static func run(
    on kind: VirtualDesktop.Kind = .x11, with clips: [String] = [], accessibility: Bool = false,
    mostlyWaits: Bool = false, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation, test: String = #function,
    _ body: (Scene) async throws -> Void
  ) async throws {
    try await VirtualDesktop.with(
      kind, accessibility: accessibility, mostlyWaits: mostlyWaits, test: test
    ) { desktop in
      if !clips.isEmpty { try await fillHistory(with: clips, on: desktop) }
      let app = try await CopyPasta.launch(on: desktop, environment: environment)
      let scene = Scene(desktop: desktop, app: app)
      if !clips.isEmpty { try await scene.waitForFirstRow() }
      try await body(scene)
      try await scene.end(sourceLocation: sourceLocation)
    }
  }

  /// Starts the program again after it has exited.
  func relaunch() async throws -> Scene {
    let again = Scene(desktop: desktop, app: try await CopyPasta.launch(on: desktop))
    if try await again.history.count() > 0 { try await again.waitForFirstRow() }
    return again
  }

  /// Stops the program if it still runs, and expects status 0 and no output from GTK or the program.
  func end(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    if app.program.isRunning {
      #expect(try await app.stop() == .code(0), sourceLocation: sourceLocation)
    }
    #expect(app.errors == "", sourceLocation: sourceLocation)
  }

  // MARK: Copying in other programs

  /// Copies a text in another program, and waits until its clip is the newest.
  func record(_ text: String) async throws {
    try await desktop.copy(text)
    try await expectNewest(text)
  }

  /// Records a text, and waits until its row is drawn.
  ///
  /// The list must not be scrolled, and the text's first line must differ from the first line of the newest row.
  ///
  /// The text is on disk before its row is shown, and a key pressed in between would act on the row below.
  func capture(_ text: String) async throws {
    var before = try await screenshot()
    let list = Rectangle(
      x: 0, y: Self.firstRow.y, width: before.width, height: before.height - Self.firstRow.y)
    // Earlier changes may not be drawn yet.
    try await waitUntil("the list unchanged", every: .milliseconds(40)) {
      let next = try await screenshot()
      defer { before = next }
      return next.matches(before, in: list)
    }
    try await record(text)
    try await expectNewRow(since: before)
  }

  /// Waits until the newest row's first line differs from that in an earlier picture.
  func expectNewRow(since before: Screenshot) async throws {
    // Compare only the text: the tint of the previous row may fade, and the empty page may show a different line.
    let line = Rectangle(
      x: Self.firstRow.x, y: Self.firstRow.y, width: before.width - 100, height: Self.firstRow.height)
    try await waitUntil("a new row drawn") {
      let now = try await screenshot()
      return !now.isPlain(in: line) && !now.hasSameText(as: before, in: line)
    }
  }

  /// Waits until the newest clip has this text.
  func expectNewest(_ text: String) async throws {
    var seen: [UInt8]?
    try await waitUntil("“\(text.prefix(50))” the newest") {
      Self.beginning(of: seen)
    } _: {
      seen = try await history.newestText()
      return seen == Array(text.utf8)
    }
  }

  /// Waits until another program can paste this text.
  func expectClipboard(_ text: String) async throws {
    var seen: [UInt8]?
    try await waitUntil("“\(text.prefix(50))” on the clipboard") {
      Self.beginning(of: seen)
    } _: {
      seen = try await desktop.paste()
      return seen == Array(text.utf8)
    }
  }

  private static func beginning(of text: [UInt8]?) -> String {
    text.map { String(decoding: $0.prefix(100), as: UTF8.self) } ?? "nothing"
  }

  // MARK: The window

  /// A part of the newest row that contains its text and nothing of the row below.
  static let firstRow = Rectangle(x: 24, y: 66, width: 200, height: 24)

  /// Waits until the newest row is drawn, in a place that the empty page leaves blank.
  func waitForFirstRow() async throws {
    try await waitUntil("the first row drawn") { try await !screenshot().isPlain(in: Self.firstRow) }
  }

  /// Opens a window of another program, and waits until CopyPasta has noticed the loss of the focus.
  @discardableResult
  func openOtherWindow() async throws -> DesktopWindow {
    let other = try await desktop.openOtherWindow()
    try await waitUntilInactive()
    return other
  }

  /// Waits until the program has noticed that its visible window is inactive.
  func waitUntilInactive() async throws {
    try await waitUntil("the window inactive") { try await !app.window.showsReading() }
  }

  func screenshot() async throws -> Screenshot {
    try await Screenshot.take(of: app.window, on: desktop)
  }

  /// A point inside the newest row, in window coordinates.
  static let firstRowPoint = (x: 150, y: 78)

  func clickFirstRow() async throws {
    // Wide windows, such as labwc's, have the rows in the middle.
    let x = try await app.window.frame().width / 2
    try await app.window.click(x: x, y: Self.firstRowPoint.y)
  }

  /// Focuses the newest row, wherever the focus was.
  func focusNewestRow() async throws {
    try await waitForFirstRow()
    try await desktop.press("Down", "Home")
  }

  /// Expects Enter to copy this text, which means that its row has the focus.
  func expectFocusedRowCopied(_ text: String) async throws {
    // Repeat the key, because the row is in the store before it is in the list and focused.
    try await waitUntil("“\(text.prefix(50))” copied") {
      try await desktop.press("Return")
      return try await eventually(within: .seconds(1)) { try await desktop.paste() == Array(text.utf8) }
    }
  }

  /// A picture of `window`, or of the main window, once it has not changed for `time`.
  ///
  /// Pass a longer time to wait for the end of an animation such as a flash.
  func settledScreenshot(
    of window: DesktopWindow? = nil, unchangedFor time: Duration = .milliseconds(150)
  ) async throws -> Screenshot {
    let window = window ?? app.window
    var last = try await Screenshot.take(of: window, on: desktop)
    var since = ContinuousClock.now
    try await waitUntil("a window that has stopped changing", every: .milliseconds(100)) {
      let next = try await Screenshot.take(of: window, on: desktop)
      defer { last = next }
      let whole = Rectangle(x: 0, y: 0, width: next.width, height: next.height)
      if !next.matches(last, in: whole) || next.isPlain(in: whole) { since = .now }
      return ContinuousClock.now - since >= time
    }
    return last
  }

  /// The open menu or popover, once it is drawn.
  ///
  /// This works only on X11, where a popup has its own window.
  @discardableResult
  func waitForPopup() async throws -> DesktopWindow {
    var last: Screenshot?
    return try await waitFor("a popup that has stopped changing", every: .milliseconds(60)) {
      guard let popup = try await desktop.popups().first else { return nil }
      let picture = try await Screenshot.take(of: popup, on: desktop)
      defer { last = picture }
      let whole = Rectangle(x: 0, y: 0, width: picture.width, height: picture.height)
      // On a slow machine a popup stays black for a while before it is drawn.
      return !picture.isPlain(in: whole) && last?.matches(picture, in: whole) == true ? popup : nil
    }
  }

  /// Presses the key that opens a menu or another popup, and waits until the popup has stopped changing.
  ///
  /// On Wayland the popup is part of its window's picture.
  func openPopup(_ key: String, over window: DesktopWindow? = nil) async throws {
    guard desktop.kind != .x11 else {
      try await desktop.press(key)
      return _ = try await waitForPopup()
    }
    let window = window ?? app.window
    let before = try await settledScreenshot(of: window)
    try await desktop.press(key)
    let content = Rectangle(x: 0, y: 60, width: before.width, height: before.height - 60)
    try await waitUntil("a popup") {
      try await !Screenshot.take(of: window, on: desktop).matches(before, in: content)
    }
    _ = try await settledScreenshot(of: window, unchangedFor: .milliseconds(400))
  }

  /// Moves the pointer to the lower right corner of the screen, outside the window except on labwc.
  func parkMouse() async throws {
    try await desktop.moveMouse(x: desktop.screenSize.width - 2, y: desktop.screenSize.height - 2)
  }

  // MARK: Filling the history

  /// Makes a history of these texts, oldest first, as if the program had captured them.
  nonisolated(nonsending) static func fillHistory(
    with clips: [String], on desktop: VirtualDesktop, from start: Int = 1_500_000_000_000_000
  ) async throws {
    let location = HistoryLocation(folder: desktop.home.dataHome + "/copypasta")
    await HistoryStore(at: location) { _, _ in [] }.close()
    // The default start is long ago, so that no row's displayed age changes during a test.
    let rows = clips.enumerated().map { index, text in
      let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      let preview = text.utf8.count > 400 ? "substr(CAST(x'\(digits)' AS TEXT), 1, 100)" : "NULL"
      let time = start + index * 1_000_000
      return "(\(time), \(text.utf8.count), \(preview), CAST(x'\(digits)' AS TEXT))"
    }
    let sql =
      "INSERT INTO clip(captured_at, byte_count, preview, text) VALUES \(rows.joined(separator: ","));"
    try desktop.history.change(sql)
  }
}

extension VirtualDesktop {
  /// The program's history.
  var history: HistoryDatabase { HistoryDatabase(path: CopyPasta.databasePath(dataHome: home.dataHome)) }
}

extension Screenshot {
  /// The vertical range of the focused row in the main window, which is filled; empty if no row is.
  func focusFrame() -> Range<Int> {
    let background = colour(x: 4, y: height - 4)
    // Start below the line under the header.
    let marked = (54..<height - 4).filter { y in
      // Look only between the sign of a row on the clipboard and the texts. A row under the pointer is tinted less.
      let colour = colour(x: 20, y: y)
      return abs(colour.red - background.red) > 20
    }
    return marked.isEmpty ? 0..<0 : marked[0]..<marked[marked.count - 1] + 1
  }
}

extension DesktopWindow {
  /// Whether the indicator in the header bar is green.
  ///
  /// The indicator is green if the program has noticed that its window is active and reads the clipboard, or if the
  /// window was shown a moment ago and is expected to become active.
  ///
  /// A window manager reports a window as active or inactive before the program has noticed the change.
  func showsReading() async throws -> Bool {
    let picture = try await Screenshot.take(of: self, on: desktop)
    return (8..<min(90, picture.width)).contains { x in
      (8..<min(45, picture.height)).contains { y in
        let colour = picture.colour(x: x, y: y)
        return colour.green > colour.red + 60
      }
    }
  }
}
