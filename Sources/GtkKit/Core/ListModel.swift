import CGtk

@MainActor
public protocol ListModelSource: AnyObject {
  var count: Int { get }
  /// Returns the value of the row at `position`, from 0 to `count` - 1; the row's view receives this value unchanged.
  func value(at position: Int) -> any Sendable
  /// Returns the position of the item with this id or, if the item was removed, that of the next item.
  func position(near id: Int64) -> Int
}

/// A `GListModel` that gets its rows from Swift, one at a time, when the view needs them.
///
/// ```swift
/// final class Numbers: ListModelSource {
///   let count = 1_000_000
///   func value(at position: Int) -> any Sendable { position }
///   func position(near id: Int64) -> Int { Int(id) }
/// }
/// let numbers = Numbers()
/// let model = ListModel(source: numbers)   // the source is held weakly
/// ```
@MainActor
public final class ListModel: Object {
  public init(source: any ListModelSource) {
    super.init(Owned(taking: listModelType.instance(of: Backing(source))))
  }

  /// Notifies the views that `added` rows have replaced `removed` rows at `position`; call it after the source has
  /// changed.
  public func itemsChanged(at position: Int, removed: Int, added: Int) {
    backing(of: opaque)?.count += added - removed
    g_list_model_items_changed(opaque, guint(position), guint(removed), guint(added))
  }

  func value(at position: Int) -> (any Sendable)? { backing(of: opaque)?.source?.value(at: position) }

  func position(near id: Int64) -> Int? { backing(of: opaque)?.source?.position(near: id) }

  public func onItemsChanged(
    _ body: @escaping @MainActor (_ position: Int, _ removed: Int, _ added: Int) -> Void
  ) {
    connect("items-changed") { (position: guint, removed: guint, added: guint) in
      body(Int(position), Int(removed), Int(added))
    }
  }
}

/// The fields of a model's instance: a weak reference to its source, and the number of rows last announced to the
/// views.
///
/// The number is stored because a view queries it even while it is being destroyed, possibly after the source was
/// released, and aborts if the number is not the last announced one.
@MainActor
private final class Backing {
  weak var source: (any ListModelSource)?
  var count: Int

  init(_ source: any ListModelSource) {
    self.source = source
    count = source.count
  }
}

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
    // GTK requires an object for each item; the view gets the row's value by the item's position.
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
