import GtkKit
import GtkTestSupport
import Testing

@testable import CopyPastaApp

/// Invalid calls to the tray icon and its menu, which any program on the bus can make.
@MainActor
@Suite(.serialized) struct TrayHostilityTests {
  private let tray: TrayScene

  init() async throws { tray = try await TrayScene.start() }

  /// Values of many types and sizes.
  private static let values: [Variant] = [
    .string(""), .int32(.min), .int32(.max), .uint32(.max), .bool(true), .double(.nan), .bytes([0xff]),
    .strings(["a"]),
    .dictionary(["a": .boxed(.boxed(.int32(1)))]), .tuple([.bool(false)]),
    .string(String(repeating: "x", count: 1 << 20)),
  ]
  private static let methods = [
    "Activate", "SecondaryActivate", "ContextMenu", "Scroll", "ProvideXdgActivationToken", "GetLayout",
    "GetGroupProperties", "GetProperty", "Event", "EventGroup", "AboutToShow", "AboutToShowGroup",
    "NoSuchMethod",
  ]

  @Test func `tray calls with wrong argument types are refused`() async throws {
    for object in [tray.item, tray.menu] {
      for method in Self.methods {
        for value in Self.values where !Self.fits(value, method, object.interface) {
          #expect(
            try await tray.scene.refusal(object, method, [value]) != nil,
            "\(object.path) \(method) \(value.type)")
        }
        #expect(try await tray.scene.refusal(object, method) != nil, "\(object.path) \(method)")
        #expect(try await tray.scene.refusal(object, method, Self.values) != nil, "\(object.path) \(method)")
      }
    }
    #expect(tray.requests == [])
  }

  /// Whether a call with this value is valid.
  private static func fits(_ value: Variant, _ method: String, _ interface: String) -> Bool {
    interface == "org.kde.StatusNotifierItem" && method == "ProvideXdgActivationToken" && value.type == "s"
  }

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

  @Test func `the tray icon still works after a flood of calls`() async throws {
    for number in 0..<2_000 {
      let id = Variant.int32(Int32(number) - 1_000)
      tray.scene.client.send(tray.item, "Activate", [.string("wrong")])
      tray.scene.client.send(tray.menu, "GetLayout", [id, .int32(-1), .strings([])])
      tray.scene.client.send(tray.menu, "Event", [id, .string("opened"), .boxed(.boxed(id)), .uint32(1)])
    }
    let many = [Int32](repeating: 1, count: 1_000_000)
    let answer = try await tray.scene.call(tray.menu, "GetGroupProperties", [.int32s(many), .strings([])])
    #expect(answer[0]?.children?.count == 1)
    _ = try await tray.scene.call(tray.item, "Activate", [.int32(0), .int32(0)])
    #expect(tray.requests == [.toggle])
  }
}
