import CGtk
import Testing

@testable import GtkKit

@Suite struct VariantTests {
  /// A sample of each type that has a builder.
  private static let samples: [Variant] = [
    .string("é 🍝"), .bool(true), .int32(-5), .uint32(5), .int64(-1 << 40), .double(0.5),
    .objectPath("/a/b") ?? .string("no path"), .strings(["a", ""]), .bytes([0, 255]), .boxed(.string("x")),
    .dictionary(["a": .int32(1)]), .tuple([.int32(1), .string("b")]), .array(of: "(is)", []), .tuple([]),
    .int32s([-1, 2]), .int32s([]),
  ]

  @Test func `each variant builder creates its D-Bus type, whose accessor returns the value`() {
    let all = Self.samples
    #expect(
      all.map(\.type) == [
        "s", "b", "i", "u", "x", "d", "o", "as", "ay", "v", "a{sv}", "(is)", "a(is)", "()", "ai", "ai",
      ])
    #expect(all[0].string == "é 🍝" && all[1].bool == true && all[2].int32 == -5 && all[3].uint32 == 5)
    #expect(all[4].withPointer(g_variant_get_int64) == -1 << 40 && all[5].double == 0.5)
    #expect(all[6].string == "/a/b" && all[7].strings == ["a", ""] && all[8].bytes == [0, 255])
    #expect(all[9].unboxed == .string("x") && all[10].dictionary == ["a": .int32(1)])
    #expect(all[11].children == [.int32(1), .string("b")] && all[12].children == [])
    #expect(all[14].int32s == [-1, 2] && all[15].int32s == [])
  }

  @Test(arguments: samples) func `a variant's accessors for other types return nil`(sample: Variant) {
    let type = sample.type
    #expect((sample.string == nil) == !["s", "o"].contains(type))
    #expect((sample.bool == nil) == (type != "b"))
    #expect((sample.int32 == nil) == (type != "i"))
    #expect((sample.uint32 == nil) == (type != "u"))
    #expect((sample.double == nil) == (type != "d"))
    #expect((sample.strings == nil) == (type != "as"))
    #expect((sample.bytes == nil) == (type != "ay"))
    #expect((sample.int32s == nil) == (type != "ai"))
    #expect((sample.unboxed == nil) == (type != "v"))
    #expect((sample.dictionary == nil) == (type != "a{sv}"))
    #expect((sample.children == nil) == !(type.hasPrefix("(") || type.hasPrefix("a")))
    #expect(sample[99] == nil && sample[-1] == nil)
  }

  @Test(arguments: ["", "a", "/a/", "/ä", "//"]) func `an invalid object path is refused`(path: String) {
    #expect(Variant.objectPath(path) == nil)
  }

  @Test func `a variant's description contains only its type`() {
    #expect("\(Variant.string("secret"))" == "Variant(s)")
  }

  @Test func `the data of a variant and of bytes is freed with the last reference`() {
    let (data, other) = (Data(), Data())
    do {
      let variant = Variant(sinking: data.floatingVariant())
      let borrowed = variant.withPointer { Variant(borrowing: $0) }
      let box = Variant.tuple([variant, .boxed(variant), .dictionary(["a": variant])])
      let parts = [box[0], box[1]?.unboxed, box[2]?.dictionary?["a"]]
      #expect(parts == [variant, borrowed, variant])
      let bytes = Bytes(taking: other.bytes())
      #expect(bytes.count == 1 && !data.isFreed && !other.isFreed)
    }
    #expect(data.isFreed && other.isFreed)
  }
}

/// The data of a variant or of bytes; records whether they have freed the data.
private final class Data {
  var isFreed = false

  private let freed: GDestroyNotify = { data in
    Unmanaged<Data>.fromOpaque(data.unsafelyUnwrapped).takeRetainedValue().isFreed = true
  }

  func bytes() -> OpaquePointer? {
    let data = Unmanaged.passRetained(self).toOpaque()
    return g_bytes_new_with_free_func(data, 1, freed, data)
  }

  func floatingVariant() -> OpaquePointer {
    let type = g_variant_type_new("ay")
    defer { g_variant_type_free(type) }
    return g_variant_new_from_data(type, nil, 0, 1, freed, Unmanaged.passRetained(self).toOpaque())
  }
}
