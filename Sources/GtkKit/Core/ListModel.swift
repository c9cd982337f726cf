import CGtk

/// The source of a `ListModel`: how many rows there are, and the value of each.
@MainActor
public protocol ListModelSource: AnyObject {
  /// How many rows there are.
  var count: Int { get }
  /// The value of a row, from 0 to `count` - 1, which is handed to the row's view as it is.
  func value(at position: Int) -> any Sendable
}

/// A `GListModel` whose rows come from Swift, one at a time, as the view comes to show them.
///
/// ```swift
/// final class Numbers: ListModelSource {
///   let count = 1_000_000
///   func value(at position: Int) -> any Sendable { position }
/// }
/// let numbers = Numbers()
/// let model = ListModel(source: numbers)   // the source is held weakly
/// ```
@MainActor
public final class ListModel: Object {
  /// Makes a model of a source, which it does not keep alive.
  public init(source: any ListModelSource) {
    super.init(Owned(taking: listModelType.instance(of: Backing(source))))
  }

  /// Tells the views that from a position on some rows went and others came.
  ///
  /// The source has changed already.
  public func itemsChanged(at position: Int, removed: Int, added: Int) {
    backing(of: opaque)?.count += added - removed
    g_list_model_items_changed(opaque, guint(position), guint(removed), guint(added))
  }

  /// The value of a row; nil if the source has gone.
  func value(at position: Int) -> (any Sendable)? { backing(of: opaque)?.source?.value(at: position) }

  /// Calls `body` for each change that the views are told of.
  public func onItemsChanged(
    _ body: @escaping @MainActor (_ position: Int, _ removed: Int, _ added: Int) -> Void
  ) {
    connect("items-changed") { (position: guint, removed: guint, added: guint) in
      body(Int(position), Int(removed), Int(added))
    }
  }
}

/// The fields of a model's instance: its source, weakly, and how many rows the views were told of.
///
/// A view that is taken apart still asks for the number of rows, and aborts if that is not the one that it knows;
/// the source may be gone by then.
@MainActor
private final class Backing {
  weak var source: (any ListModelSource)?
  var count: Int

  init(_ source: any ListModelSource) {
    self.source = source
    count = source.count
  }
}

// CopyPasta registers the type on first use.
@MainActor private let listModelType = SwiftType(
  name: "CopyPastaListModel", interface: copypasta_type_list_model(), fill: fillListModelInterface)

@MainActor
private func fillListModelInterface(_ table: UnsafeMutableRawPointer) {
  let itemType: @MainActor @convention(c) (OpaquePointer?) -> GType = { _ in copypasta_type_object() }
  let count: @MainActor @convention(c) (OpaquePointer?) -> guint = { model in
    guint(clamping: backing(of: model)?.count ?? 0)
  }
  let item: @MainActor @convention(c) (OpaquePointer?, guint) -> gpointer? = { model, position in
    guard let backing = backing(of: model), Int(position) < backing.count else { return nil }
    // An item stands for its position: the view asks for the value there.
    return gpointer(copypasta_object_new(copypasta_type_object()))
  }
  let table = table.assumingMemoryBound(to: GListModelInterface.self)
  table.pointee.get_item_type = unsafeBitCast(itemType, to: (@convention(c) (OpaquePointer?) -> GType).self)
  table.pointee.get_n_items = unsafeBitCast(count, to: (@convention(c) (OpaquePointer?) -> guint).self)
  table.pointee.get_item = unsafeBitCast(
    item, to: (@convention(c) (OpaquePointer?, guint) -> gpointer?).self)
}

@MainActor
private func backing(of model: OpaquePointer?) -> Backing? {
  guard let model else { return nil }
  return swiftObject(behind: UnsafeMutableRawPointer(model), Backing.self)
}
