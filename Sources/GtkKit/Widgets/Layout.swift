import CGtk

/// An arrangement of the children of a `LayoutBox`, whose height depends on the width.
@MainActor
public protocol Layout {
  /// Whether the height at the natural width is the height to request where no width is known yet.
  ///
  /// Without it no height is requested then, which saves a layout of the text in every row of a list.
  var hasHeightWithoutWidth: Bool { get }
  func width(of children: [LayoutChild]) -> Extent
  /// Places the children in a box of this width.
  ///
  /// - Parameter height: The box's height; nil while its height is being measured.
  func place(_ children: [LayoutChild], inWidth width: Int, height: Int?) -> Placement
}

extension Layout {
  /// Most boxes need the height that they have at their natural width.
  public var hasHeightWithoutWidth: Bool { true }
}

/// The least and the preferred size in one direction, in pixels.
public typealias Extent = (minimum: Int, natural: Int)

/// The height that children need, and their rectangles.
///
/// `x` is the distance from the leading edge. A child without a rectangle is hidden.
public typealias Placement = (height: Extent, frames: [Frame?])

/// A child's rectangle in a left-to-right interface, in pixels; it is mirrored otherwise.
public typealias Frame = (x: Int, y: Int, width: Int, height: Int)

@MainActor
public struct LayoutChild {
  let widget: UnsafeMutablePointer<GtkWidget>

  /// Whether the child is set to visible; if not, all its sizes are 0.
  public var isVisible: Bool { gtk_widget_get_visible(widget) != 0 }

  public var width: Extent { measure(GTK_ORIENTATION_HORIZONTAL).extent }

  public func height(inWidth width: Int) -> Extent { measure(GTK_ORIENTATION_VERTICAL, for: width).extent }

  /// The child's rectangle at a width, with the baseline of its first line at `baseline`.
  public func frame(x: Int, width: Int, onBaseline baseline: Int) -> Frame {
    let own = measure(GTK_ORIENTATION_VERTICAL, for: width)
    return (x, max(baseline - own.baseline, 0), width, own.extent.natural)
  }

  /// The baseline of the child's first line at a width.
  public func baseline(inWidth width: Int) -> Int { measure(GTK_ORIENTATION_VERTICAL, for: width).baseline }

  /// The child of a scrolled window.
  var content: LayoutChild? {
    gtk_scrolled_window_get_child(OpaquePointer(widget)).map(LayoutChild.init)
  }

  var expands: Bool { gtk_widget_compute_expand(widget, GTK_ORIENTATION_HORIZONTAL) != 0 }

  private func measure(_ orientation: GtkOrientation, for other: Int = -1) -> (extent: Extent, baseline: Int)
  {
    var (minimum, natural, baseline): (gint, gint, gint) = (0, 0, 0)
    gtk_widget_measure(widget, orientation, gint(other), &minimum, &natural, nil, &baseline)
    return ((Int(minimum), Int(natural)), Int(baseline))
  }
}

/// A box that arranges its children by a `Layout`.
@MainActor
open class LayoutBox: Widget {
  public convenience init(_ layout: any Layout, _ children: [Widget]) {
    self.init(new: gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
    children.forEach(append)
    // The widget takes ownership of the layout manager.
    let manager = layoutManagerType.instance(of: Arrangement(layout))
    gtk_widget_set_layout_manager(widget, manager.assumingMemoryBound(to: GtkLayoutManager.self))
  }

  public final func append(_ child: Widget) { gtk_box_append(cast(), child.widget) }
}

@MainActor
private final class Arrangement {
  let layout: any Layout

  init(_ layout: any Layout) { self.layout = layout }

  static func of(_ manager: gpointer?, _ box: UnsafeMutablePointer<GtkWidget>?) -> (
    any Layout, [LayoutChild]
  )? {
    guard let manager, let layout = swiftObject(behind: manager, Arrangement.self)?.layout else { return nil }
    var children: [LayoutChild] = []
    var next = gtk_widget_get_first_child(box)
    while let child = next {
      children.append(LayoutChild(widget: child))
      next = gtk_widget_get_next_sibling(child)
    }
    return (layout, children)
  }
}

@MainActor private let layoutManagerType = SwiftType(
  name: "CopyPastaLayout", parent: gtk_layout_manager_get_type(),
  classSize: MemoryLayout<GtkLayoutManagerClass>.size, fill: fillLayoutManagerClass)

@MainActor
private func fillLayoutManagerClass(_ table: UnsafeMutableRawPointer) {
  typealias Box = UnsafeMutablePointer<GtkWidget>?
  typealias Size = UnsafeMutablePointer<gint>?
  let mode: @MainActor @convention(c) (gpointer?, Box) -> GtkSizeRequestMode = { _, _ in
    GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH
  }
  let measure:
    @MainActor @convention(c) (gpointer?, Box, GtkOrientation, gint, Size, Size, Size, Size) -> Void = {
      manager, box, orientation, width, minimum, natural, _, _ in
      guard let (layout, children) = Arrangement.of(manager, box) else { return }
      let isHeight = orientation == GTK_ORIENTATION_VERTICAL
      guard !isHeight || width >= 0 || layout.hasHeightWithoutWidth else { return }
      var extent: Extent
      if !isHeight || width < 0 { extent = layout.width(of: children) } else { extent = (0, Int(width)) }
      if isHeight { extent = layout.place(children, inWidth: extent.natural, height: nil).height }
      minimum?.pointee = gint(extent.minimum)
      natural?.pointee = gint(max(extent.minimum, extent.natural))
    }
  let allocate: @MainActor @convention(c) (gpointer?, Box, gint, gint, gint) -> Void = {
    manager, box, width, height, _ in
    guard let (layout, children) = Arrangement.of(manager, box) else { return }
    let isMirrored = gtk_widget_get_direction(box) == GTK_TEXT_DIR_RTL
    let frames = layout.place(children, inWidth: Int(width), height: Int(height)).frames
    for (number, child) in children.enumerated() {
      let frame = number < frames.count ? frames[number] : nil
      gtk_widget_set_child_visible(child.widget, frame == nil ? 0 : 1)
      guard let frame else { continue }
      var area = GdkRectangle(
        x: isMirrored ? width - gint(frame.x + frame.width) : gint(frame.x), y: gint(frame.y),
        width: gint(frame.width), height: gint(frame.height))
      gtk_widget_size_allocate(child.widget, &area, -1)
    }
  }
  let table = table.assumingMemoryBound(to: GtkLayoutManagerClass.self)
  table.pointee.get_request_mode = unsafeBitCast(mode, to: type(of: table.pointee.get_request_mode))
  table.pointee.measure = unsafeBitCast(measure, to: type(of: table.pointee.measure))
  table.pointee.allocate = unsafeBitCast(allocate, to: type(of: table.pointee.allocate))
}
