import Foundation
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

/// The table of actions, and the hand-written files that must agree with it.
@MainActor
@Suite struct HistoryActionTests {
  @Test func `each name, key, menu entry and swipe belongs to only one action, and keys are valid in GTK`() {
    let all = HistoryAction.all
    for words in [
      all.map(\.name), all.flatMap(\.triggers), all.compactMap(\.entry), all.map(\.title),
      all.compactMap(\.swipe).map { "\($0.edge)" },
    ] {
      #expect(Set(words).count == words.count, "\(words)")
    }
    for action in all {
      #expect(!action.keys.isEmpty, "\(action.name)")
      for trigger in action.triggers {
        #expect(Accelerator(trigger) != nil, "\(trigger)")
      }
    }
  }

  /// The shortcuts window shows the same keys.
  @Test func `the guide lists every swipe, each action's keys in one row, and no other keys`() throws {
    let rows = try String(contentsOfFile: Fixture.checkout + "/docs/guide.md", encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { $0.split(separator: "|")[0].split(whereSeparator: ",;".contains) }
      .map { keys in keys.map { $0.trimmingCharacters(in: .whitespaces) } }
    let documented = HistoryAction.all.map {
      $0.keys.count < 9 ? $0.keys.map(Self.asPrinted) : ["1 to 9", "Ctrl+1 to Ctrl+9"]
    }
    #expect(Set(rows.joined().filter { $0.contains("+") }).isSubset(of: documented.joined()))
    for (action, keys) in zip(HistoryAction.all, documented) {
      #expect(rows.contains { Set(keys).isSubset(of: $0) }, "\(action.name): \(keys)")
      #expect(action.otherKeys.allSatisfy { $0.contains("KP_") || $0.contains("ISO_") }, "\(action.name)")
      guard let swipe = action.swipe else { continue }
      #expect(rows.contains { $0[0].hasPrefix("Swipe from the \(swipe.edge) edge") }, "\(action.name)")
    }
  }

  @Test func `the style sheet shows each swipe's icon`() {
    let style = String(decoding: PackageResources.style_css, as: UTF8.self)
    for action in HistoryAction.all {
      guard let swipe = action.swipe else { continue }
      let rules = style.components(separatedBy: "row.\(action.swipeStyle) {").dropFirst()
      #expect(
        rules.contains { $0.prefix { $0 != "}" }.contains("-gtk-icontheme(\"\(swipe.icon)\")") },
        "\(action.name)")
    }
  }

  /// The name of a key as printed on keyboards and written in the guide.
  private static func asPrinted(_ trigger: String) -> String {
    (Accelerator(trigger)?.label ?? trigger).replacingOccurrences(of: "+,", with: "+comma")
      .replacingOccurrences(of: "?", with: "question mark")
  }
}
