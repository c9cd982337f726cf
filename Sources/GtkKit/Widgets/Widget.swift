import CGtk

/// A GTK widget.
///
/// The underlying widget exists while this object or the widget's parent exists.
@MainActor
open class Widget: Object {
  final var widget: UnsafeMutablePointer<GtkWidget> { cast() }

  convenience init(new pointer: UnsafeMutablePointer<GtkWidget>?) {
    self.init(Owned(sinking: pointer))
  }

  /// How a widget uses additional space (`GtkAlign`).
  public enum Alignment: UInt32 {
    case fill, start, end, center
  }

  /// Whether the widget is set to visible.
  public final var isVisible: Bool {
    get { gtk_widget_get_visible(widget) != 0 }
    set { gtk_widget_set_visible(widget, newValue ? 1 : 0) }
  }

  /// Whether the widget and all its ancestors are shown.
  public final var isMapped: Bool { gtk_widget_get_mapped(widget) != 0 }

  /// Calls `body` when the widget is mapped, that is, when it and all its ancestors are shown.
  public final func onShow(_ body: @escaping @MainActor () -> Void) { connect("map", body) }

  /// Calls `body` when the widget is unmapped, because it or an ancestor is hidden, closed or destroyed.
  ///
  /// Unlike `destroy`, this signal is emitted even for a window that is still referenced.
  public final func onHide(_ body: @escaping @MainActor () -> Void) { connect("unmap", body) }

  /// Calls `body` once after the next frame of the widget's window; immediately if the widget is not realized.
  public final func onNextFrame(_ body: @escaping @MainActor () -> Void) {
    guard let pointer = gtk_widget_get_frame_clock(widget) else { return body() }
    Object(Owned(borrowing: pointer)).connectOnce("after-paint", body)
    // Request a frame, even if nothing has to be drawn.
    gdk_frame_clock_request_phase(pointer, copypasta_GDK_FRAME_CLOCK_PHASE_AFTER_PAINT)
  }

  public final var isEnabled: Bool {
    get { gtk_widget_get_sensitive(widget) != 0 }
    set { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) }
  }

  public final var tooltip: String? {
    get { gtk_widget_get_tooltip_text(widget).map { String(cString: $0) } }
    set { gtk_widget_set_tooltip_text(widget, newValue) }
  }

  /// Whether the widget may currently show a tooltip.
  public final var hasTooltip: Bool {
    get { gtk_widget_get_has_tooltip(widget) != 0 }
    set { gtk_widget_set_has_tooltip(widget, newValue ? 1 : 0) }
  }

  /// Makes the widget take additional space.
  public final func expand(horizontally: Bool = false, vertically: Bool = false) {
    gtk_widget_set_hexpand(widget, horizontally ? 1 : 0)
    gtk_widget_set_vexpand(widget, vertically ? 1 : 0)
  }

  /// The space below the widget, in pixels.
  public final var bottomMargin: Int {
    get { Int(gtk_widget_get_margin_bottom(widget)) }
    set { gtk_widget_set_margin_bottom(widget, gint(newValue)) }
  }

  public final func align(horizontally: Alignment = .fill, vertically: Alignment = .fill) {
    gtk_widget_set_halign(widget, GtkAlign(horizontally.rawValue))
    gtk_widget_set_valign(widget, GtkAlign(vertically.rawValue))
  }

  /// Whether the widget itself can get the focus.
  public final var isFocusable: Bool {
    get { gtk_widget_get_focusable(widget) != 0 }
    set { gtk_widget_set_focusable(widget, newValue ? 1 : 0) }
  }

  /// Moves the focus to the widget; returns false if it cannot get the focus.
  @discardableResult
  public final func grabFocus() -> Bool { gtk_widget_grab_focus(widget) != 0 }

  /// Whether the window's focus is on the widget or within it.
  public final var hasFocusWithin: Bool {
    gtk_widget_get_state_flags(widget).rawValue & copypasta_GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
  }

  /// Whether the focus is on the widget or within it, and the widget's window is active.
  public final var hasFocusInActiveWindow: Bool {
    hasFocusWithin
      && gtk_widget_get_state_flags(widget).rawValue & copypasta_GTK_STATE_FLAG_BACKDROP.rawValue == 0
  }

  public final func addStyle(_ name: String) { gtk_widget_add_css_class(widget, name) }

  public final func removeStyle(_ name: String) { gtk_widget_remove_css_class(widget, name) }

  /// Adds a group of actions for the widget and its descendants, under a prefix, such as `row` in `row.copy`.
  public final func insert(_ actions: ActionGroup, as prefix: String) {
    gtk_widget_insert_action_group(widget, prefix, actions.opaque)
  }

  /// Activates an action of the widget or its ancestors with the id of an object, such as a row.
  ///
  /// - Returns: whether the action exists.
  @discardableResult
  public final func run(_ action: String, on id: Int64) -> Bool { activate(action: action, with: .int64(id)) }

  /// Activates an action of the widget or its ancestors; returns whether the action exists.
  @discardableResult
  final func activate(action: String, with argument: Variant) -> Bool {
    // Pass a sunk reference: unlike most functions, this function does not sink a floating argument, which would then
    // leak.
    argument.withPointer { gtk_widget_activate_action_variant(widget, action, $0) != 0 }
  }

  /// Clips the widget's content at its edges.
  public final func clipContents() { gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN) }

  /// Makes the current height the minimum height, or removes that minimum.
  public final func keepHeight(_ isKept: Bool) {
    gtk_widget_set_size_request(widget, -1, isKept ? gtk_widget_get_height(widget) : -1)
  }

  /// Returns the height in pixels that the widget requests at the given width.
  public func naturalHeight(inWidth width: Int) -> Int {
    var height: gint = 0
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, gint(width), nil, &height, nil, nil)
    return Int(height)
  }

  /// The width in pixels that the widget requests.
  public final var naturalWidth: Int {
    var width: gint = 0
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
    return Int(width)
  }

  /// The current width, in pixels.
  public final var width: Int { Int(gtk_widget_get_width(widget)) }

  public final var isRightToLeft: Bool { gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL }

  /// Converts a point from the coordinates of the window's surface to those of the widget.
  final func point(ofSurface point: Point) -> Point {
    guard let native = gtk_widget_get_native(widget) else { return point }
    var (dx, dy) = (0.0, 0.0)
    gtk_native_get_surface_transform(native, &dx, &dy)
    var (inWindow, inWidget) = (
      graphene_point_t(x: Float(point.x - dx), y: Float(point.y - dy)), graphene_point_t()
    )
    let root = gtk_widget_get_root(widget)
      .map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self) }
    _ = gtk_widget_compute_point(root, widget, &inWindow, &inWidget)
    return Point(x: Double(inWidget.x), y: Double(inWidget.y))
  }

  /// Returns the widget's bounds in the coordinates of `other`; nil if the two are in different windows.
  public final func bounds(in other: Widget) -> Rectangle? {
    var bounds = graphene_rect_t()
    guard gtk_widget_compute_bounds(widget, other.widget, &bounds) != 0 else { return nil }
    return Rectangle(
      x: Double(bounds.origin.x), y: Double(bounds.origin.y), width: Double(bounds.size.width),
      height: Double(bounds.size.height))
  }
}

// MARK: - For screen readers

extension Widget {
  public struct AccessibleRole: Sendable {
    fileprivate let gtk: GtkAccessibleRole

    public static let group = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_GROUP)
    /// A decoration, or a duplicate; screen readers ignore the widget and its descendants.
    public static let presentation = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_PRESENTATION)
    public static let dialog = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_DIALOG)
  }

  /// Sets the name that screen readers announce.
  public final func setAccessibleName(_ name: String) { set(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name) }

  /// Sets the text that screen readers announce after name and role.
  public final func setAccessibleDescription(_ text: String) {
    // Store the text, because `endAnnouncement` restores it, and GTK has no getter.
    g_object_set_data_full(cast(), Self.descriptionKey, g_strdup(text), g_free)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: text)
  }

  /// Takes the accessible name from a label.
  public final func setLabelledBy(_ label: Label) { copypasta_set_labelled_by(raw, label.raw) }

  /// Makes screen readers announce a message immediately.
  ///
  /// GTK has a function for this since 4.14. With older versions, the message becomes the description of the window's
  /// focused widget for 3 s, because screen readers announce a changed description.
  public final func announce(_ words: String) {
    guard let root = gtk_widget_get_root(widget) else { return }
    if let announce = RuntimeSymbols.accessibleAnnounce {
      // Announce the message from the window, because GTK silently drops an announcement from a widget that no screen
      // reader has visited.
      announce(root, words, RuntimeSymbols.mediumPriority)
    } else if let focus = gtk_root_get_focus(root) {
      Widget(Owned(borrowing: focus)).describeForAMoment(by: words)
    }
  }

  /// Restores the widget's own description if an announcement has replaced it; call this when the widget shows new
  /// content.
  public final func endAnnouncement() {
    guard g_object_get_data(cast(), Self.announcementKey) != nil else { return }
    g_object_set_data(cast(), Self.announcementKey, nil)
    let description = g_object_get_data(cast(), Self.descriptionKey)?.assumingMemoryBound(to: CChar.self)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: description.map { String(cString: $0) } ?? "")
  }

  private static var descriptionKey: String { "copypasta-description" }
  /// The key of the object data that marks a widget whose description is an announcement.
  static var announcementKey: String { "copypasta-announcement" }

  private func describeForAMoment(by words: String) {
    // Reset the description first, because setting the same message again would not be a change.
    endAnnouncement()
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: words)
    // The timer retains itself, and so the widget, until it fires. It must not end a later announcement.
    let timer = Shared<Timeout?>(nil)
    let id = Unmanaged.passUnretained(timer).toOpaque()
    g_object_set_data(cast(), Self.announcementKey, id)
    timer.value = Timeout(after: .seconds(3)) {
      if g_object_get_data(self.cast(), Self.announcementKey) == id { self.endAnnouncement() }
      timer.value = nil
    }
  }

  /// Sets the role for screen readers; call it before the widget is shown.
  public final func setAccessibleRole(_ role: AccessibleRole) {
    self[property: "accessible-role"] = .number(Int(role.gtk.rawValue))
  }

  private func set(_ property: GtkAccessibleProperty, to text: String) {
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    g_value_set_string(&value, text)
    gtk_accessible_update_property_value(opaque, 1, &property, &value)
    g_value_unset(&value)
  }
}

/// A point, in application pixels.
public struct Point: Equatable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle, in application pixels.
public struct Rectangle: Equatable, Sendable {
  public var x: Double
  public var y: Double
  public var width: Double
  public var height: Double

  public func contains(_ point: Point) -> Bool {
    x <= point.x && point.x < x + width && y <= point.y && point.y < y + height
  }
}
