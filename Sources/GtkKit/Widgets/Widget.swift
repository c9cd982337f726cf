import CGtk

/// A widget.
///
/// The Swift object is a view of the widget, which lives as long as the object or its parent does.
@MainActor
open class Widget: Object {
  final var widget: UnsafeMutablePointer<GtkWidget> { cast() }

  /// Wraps a widget that a constructor returned.
  convenience init(new pointer: UnsafeMutablePointer<GtkWidget>?) {
    self.init(Owned(sinking: pointer))
  }

  /// How a widget takes the room that it is given beyond what it needs (`GtkAlign`).
  public enum Alignment: UInt32 {
    /// All of it, or only what it needs at its start, at its end or in its middle.
    case fill, start, end, center
  }

  /// Whether the widget is meant to be shown.
  public final var isVisible: Bool {
    get { gtk_widget_get_visible(widget) != 0 }
    set { gtk_widget_set_visible(widget, newValue ? 1 : 0) }
  }

  /// Whether the widget and all it lies in are shown.
  public final var isMapped: Bool { gtk_widget_get_mapped(widget) != 0 }

  /// Calls `body` when the widget comes to the screen: it, and all it lies in, is shown.
  public final func onShow(_ body: @escaping @MainActor () -> Void) { connect("map", body) }

  /// Calls `body` when the widget goes from the screen: it, or what it lies in, is hidden, closed or destroyed.
  ///
  /// A window that somebody holds gets no `destroy`, but it gets this.
  public final func onHide(_ body: @escaping @MainActor () -> Void) { connect("unmap", body) }

  /// Calls `body` once, when the next frame of its window has been drawn; the window must have been shown.
  public final func onNextFrame(_ body: @escaping @MainActor () -> Void) {
    guard let pointer = gtk_widget_get_frame_clock(widget) else { return body() }
    Object(Owned(borrowing: pointer)).connectOnce("after-paint", body)
    // Also if there is nothing to draw.
    gdk_frame_clock_request_phase(pointer, copypasta_GDK_FRAME_CLOCK_PHASE_AFTER_PAINT)
  }

  /// Whether the widget reacts to the user.
  public final var isEnabled: Bool {
    get { gtk_widget_get_sensitive(widget) != 0 }
    set { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) }
  }

  /// The text that appears beside the pointer when it rests on the widget.
  public final var tooltip: String? {
    get { gtk_widget_get_tooltip_text(widget).map { String(cString: $0) } }
    set { gtk_widget_set_tooltip_text(widget, newValue) }
  }

  /// Whether the widget is asked for a tooltip at present, if it ever was to have one.
  public final var hasTooltip: Bool {
    get { gtk_widget_get_has_tooltip(widget) != 0 }
    set { gtk_widget_set_has_tooltip(widget, newValue ? 1 : 0) }
  }

  /// Takes more room than it needs, if there is any.
  public final func expand(horizontally: Bool = false, vertically: Bool = false) {
    gtk_widget_set_hexpand(widget, horizontally ? 1 : 0)
    gtk_widget_set_vexpand(widget, vertically ? 1 : 0)
  }

  /// Places the widget within the room that it is given.
  public final func align(horizontally: Alignment = .fill, vertically: Alignment = .fill) {
    gtk_widget_set_halign(widget, GtkAlign(horizontally.rawValue))
    gtk_widget_set_valign(widget, GtkAlign(vertically.rawValue))
  }

  /// Whether the widget itself can have the focus.
  public final var isFocusable: Bool {
    get { gtk_widget_get_focusable(widget) != 0 }
    set { gtk_widget_set_focusable(widget, newValue ? 1 : 0) }
  }

  /// Moves the focus to the widget.
  ///
  /// - Returns: false if it cannot have it.
  @discardableResult
  public final func grabFocus() -> Bool { gtk_widget_grab_focus(widget) != 0 }

  /// Whether the widget or something within it has the focus of its window.
  public final var hasFocusWithin: Bool {
    gtk_widget_get_state_flags(widget).rawValue & copypasta_GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
  }

  /// Whether the focus is on the widget, or within it, in the window that the user works in.
  public final var hasFocusInActiveWindow: Bool {
    hasFocusWithin
      && gtk_widget_get_state_flags(widget).rawValue & copypasta_GTK_STATE_FLAG_BACKDROP.rawValue == 0
  }

  /// Adds a style class.
  public final func addStyle(_ name: String) { gtk_widget_add_css_class(widget, name) }

  /// Removes a style class.
  public final func removeStyle(_ name: String) { gtk_widget_remove_css_class(widget, name) }

  /// Adds the actions of a group to the widget and all within it, under a prefix: `row.copy`.
  public final func insert(_ actions: ActionGroup, as prefix: String) {
    gtk_widget_insert_action_group(widget, prefix, actions.opaque)
  }

  /// Runs an action of the widget, or of what it lies in, on something, such as a row, which its id names.
  ///
  /// - Returns: whether there is one of that name.
  @discardableResult
  public final func run(_ action: String, on id: Int64) -> Bool { activate(action: action, with: .int64(id)) }

  /// Runs an action of the widget or of what it lies in.
  ///
  /// - Returns: whether there is one of that name.
  @discardableResult
  final func activate(action: String, with argument: Variant) -> Bool {
    // Unlike most functions, this one does not take over a floating argument, which would leak each time.
    argument.withPointer { gtk_widget_activate_action_variant(widget, action, $0) != 0 }
  }

  /// Draws nothing of what is within the widget beyond its own edges.
  public final func clipContents() { gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN) }

  /// The width that the widget has at the moment, in pixels.
  public final var width: Int { Int(gtk_widget_get_width(widget)) }

  /// Whether what is read first is on the right.
  public final var isRightToLeft: Bool { gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL }

  /// The point of the widget at a point of the surface that its window is drawn on.
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

  /// Where the widget lies within another; nil if the two share no window.
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
  /// A kind of thing, for a screen reader.
  public struct AccessibleRole: Sendable {
    fileprivate let gtk: GtkAccessibleRole

    /// Widgets that belong together and have a name in common.
    public static let group = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_GROUP)
    /// An ornament, or what is said elsewhere; a screen reader passes over the widget and all that is within it.
    public static let presentation = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_PRESENTATION)
    /// A window that asks something.
    public static let dialog = AccessibleRole(gtk: GTK_ACCESSIBLE_ROLE_DIALOG)
  }

  /// The name that a screen reader says for the widget.
  public final func setAccessibleName(_ name: String) { set(GTK_ACCESSIBLE_PROPERTY_LABEL, to: name) }

  /// The text that a screen reader says after the widget's name and role.
  public final func setAccessibleDescription(_ text: String) {
    // Kept, because an announcement puts it back, and GTK has no function that tells it.
    g_object_set_data_full(cast(), Self.descriptionKey, g_strdup(text), g_free)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: text)
  }

  /// Takes the name that a screen reader says from a label beside the widget.
  public final func setLabelledBy(_ label: Label) { copypasta_set_labelled_by(raw, label.raw) }

  /// Makes a screen reader say something at once.
  ///
  /// GTK has a function for it from 4.14 on. Before, the words describe for some seconds what has the focus in the
  /// widget's window: screen readers tell of a change of that.
  public final func announce(_ words: String) {
    guard let root = gtk_widget_get_root(widget) else { return }
    if let announce = RuntimeSymbols.accessibleAnnounce {
      // The window says it: GTK drops in silence what is said by a widget that no reader has come by yet.
      announce(root, words, RuntimeSymbols.mediumPriority)
    } else if let focus = gtk_root_get_focus(root) {
      Widget(Owned(borrowing: focus)).describeForAMoment(by: words)
    }
  }

  /// Takes back an announcement that describes the widget, which shows something else now.
  public final func endAnnouncement() {
    guard g_object_get_data(cast(), Self.announcementKey) != nil else { return }
    g_object_set_data(cast(), Self.announcementKey, nil)
    let description = g_object_get_data(cast(), Self.descriptionKey)?.assumingMemoryBound(to: CChar.self)
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: description.map { String(cString: $0) } ?? "")
  }

  private static var descriptionKey: String { "copypasta-description" }
  private static var announcementKey: String { "copypasta-announcement" }

  private func describeForAMoment(by words: String) {
    // The same words once more are no change.
    endAnnouncement()
    set(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, to: words)
    g_object_set_data(cast(), Self.announcementKey, raw)
    // The timer holds itself, and with it the widget, until it fires.
    let timer = Shared<Timeout?>(nil)
    timer.value = Timeout(after: .seconds(3)) {
      self.endAnnouncement()
      timer.value = nil
    }
  }

  /// The kind of widget that a screen reader announces; set it before the widget is shown.
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

/// A point, in pixels of the application.
public struct Point: Equatable, Sendable {
  /// To the right.
  public var x: Double
  /// Downwards.
  public var y: Double

  /// Makes a point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle, in pixels of the application.
public struct Rectangle: Equatable, Sendable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// The extent to the right.
  public var width: Double
  /// The extent downwards.
  public var height: Double
}
