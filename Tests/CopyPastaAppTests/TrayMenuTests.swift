import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

/// The menu as tray hosts request it: xfce4-panel and waybar in groups, lxqt-panel entry by entry.
extension TrayIconTests {
  private func labels(of layout: Variant) -> [String?] {
    (layout[1]?[2]?.children ?? []).map { $0.unboxed?[1]?.dictionary?["label"]?.string }
  }

  @Test(arguments: [-1, 1, 7] as [Int32]) func `the tray menu's layout has four entries`(depth: Int32)
    async throws
  {
    let layout = try await tray.scene.call(tray.menu, "GetLayout", [.int32(0), .int32(depth), .strings([])])
    #expect(layout.type == "(u(ia{sv}av))")
    #expect(layout[0]?.uint32 == 1)
    #expect(layout[1]?[0]?.int32 == 0)
    #expect(layout[1]?[1]?.dictionary == ["children-display": .string("submenu")])
    #expect(labels(of: layout) == ["_Show History", "Pause _Recording", "_Preferences", "_Quit"])
    #expect(layout[1]?[2]?.children?.map { $0.unboxed?[0]?.int32 } == [1, 2, 3, 4])
    // Neither depth 0 nor a single entry has children.
    let root = try await tray.scene.call(tray.menu, "GetLayout", [.int32(0), .int32(0), .strings([])])
    #expect(root[1]?[2]?.children == [])
    let entry = try await tray.scene.call(
      tray.menu, "GetLayout", [.int32(4), .int32(depth), .strings(["label"])])
    #expect(entry[1]?[1]?.dictionary == ["label": .string("_Quit")])
    #expect(entry[1]?[2]?.children == [])
  }

  @Test func `tray menu properties are returned in groups and one by one`() async throws {
    let some = try await tray.scene.call(
      tray.menu, "GetGroupProperties", [.int32s([4, 99, 1, 1, -1]), .strings(["label"])])
    #expect(some[0]?.children?.map { $0[0]?.int32 } == [1, 4])
    #expect(some[0]?.children?.map { $0[1]?.dictionary?["label"]?.string } == ["_Show History", "_Quit"])
    let many = [Int32](repeating: 1, count: 1_000_000)
    let same = try await tray.scene.call(tray.menu, "GetGroupProperties", [.int32s(many), .strings([])])
    #expect(same[0]?.children?.count == 1)
    let all = try await tray.scene.call(tray.menu, "GetGroupProperties", [.int32s([]), .strings([])])
    #expect(all[0]?.children?.map { $0[0]?.int32 } == [0, 1, 2, 3, 4])
    let one = try await tray.scene.call(tray.menu, "GetProperty", [.int32(3), .string("label")])
    #expect(one == .tuple([.boxed(.string("_Preferences"))]))
    let properties = try await tray.properties(of: tray.menu)
    #expect(properties["Version"]?.uint32 == 3)
    #expect(properties["TextDirection"]?.string == "ltr")
  }

  @Test func `choosing a tray menu entry reports the entry and the time of the click`() async throws {
    for (id, time) in [(1, 0), (2, 1233), (3, 1234), (4, 1235)] as [(Int32, UInt32)] {
      let event: [Variant] = [.int32(id), .string("clicked"), .boxed(.int32(0)), .uint32(time)]
      _ = try await tray.scene.call(tray.menu, "Event", event)
    }
    #expect(tray.requests == [.show, .pause, .preferences, .quit])
    #expect(tray.activations == [.ambient, .time(1233), .time(1234), .time(1235)])
  }

  @Test func `the tray menu's pause entry shows the current state`() async throws {
    func state() async throws -> [String: Variant]? {
      let entry = try await tray.scene.call(
        tray.menu, "GetLayout", [.int32(2), .int32(0), .strings(["toggle-type", "toggle-state"])])
      return entry[1]?[1]?.dictionary
    }
    #expect(try await state() == ["toggle-type": .string("checkmark"), "toggle-state": .int32(0)])
    var changes: [Variant] = []
    let subscription = tray.scene.client.subscribe(to: "ItemsPropertiesUpdated", of: tray.menu) {
      changes.append($0)
    }
    try await tray.scene.settle()
    tray.pause.isPaused = true
    #expect(try await state() == ["toggle-type": .string("checkmark"), "toggle-state": .int32(1)])
    tray.pause.isPaused = false
    #expect(try await state()?["toggle-state"] == .int32(0))
    try await pump("both changes") { changes.count == 2 }
    let states = changes.map { $0[0]?.children?.first?[1]?.dictionary?["toggle-state"] }
    #expect(states == [.int32(1), .int32(0)])
    withExtendedLifetime(subscription) {}
  }

  @Test func `tray menu events in a group are handled one by one`() async throws {
    let events =
      ([(1, "clicked"), (77, "clicked"), (0, "opened"), (3, "hovered"), (3, "clicked")] as [(Int32, String)])
      .map { Variant.tuple([.int32($0), .string($1), .boxed(.string("")), .uint32(0)]) }
    let answer = try await tray.scene.call(tray.menu, "EventGroup", [.array(of: "(isvu)", events)])
    #expect(answer == .tuple([.int32s([77])]))
    #expect(tray.requests == [.show, .preferences])
  }

  @Test func `AboutToShow reports that the tray menu needs no update`() async throws {
    #expect(try await tray.scene.call(tray.menu, "AboutToShow", [.int32(0)]) == .tuple([.bool(false)]))
    let group = try await tray.scene.call(tray.menu, "AboutToShowGroup", [.int32s([0, 1, 50])])
    #expect(group == .tuple([.int32s([]), .int32s([50])]))
  }

  // MARK: - Invalid calls, which any program on the bus can make

  @Test(arguments: [-1, 99, .min, .max] as [Int32]) func `a call for a missing tray menu entry is refused`(
    id: Int32
  )
    async throws
  {
    let calls: [(String, [Variant])] = [
      ("GetLayout", [.int32(id), .int32(-1), .strings([])]),
      ("GetProperty", [.int32(id), .string("label")]),
      ("Event", [.int32(id), .string("clicked"), .boxed(.int32(0)), .uint32(0)]),
      ("AboutToShow", [.int32(id)]),
    ]
    for (method, arguments) in calls {
      #expect(try await tray.scene.refusal(tray.menu, method, arguments) != nil, "\(method)")
    }
    #expect(tray.requests == [])
  }
}
