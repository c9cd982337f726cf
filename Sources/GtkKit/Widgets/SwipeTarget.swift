import CGtk

/// A widget's reaction to a swipe: a finger on the screen, or two on a touchpad, that move to the side.
@MainActor
public protocol SwipeTarget: AnyObject {
  /// A swipe begins at this point of the widget.
  ///
  /// - Returns: whether there is something to be swiped.
  func swipeBegan(at point: Point) -> Bool
  /// How far from its beginning the swipe is, in pixels; to the right is positive.
  func swipeMoved(to distance: Double)
  /// The fingers are off, or the swipe has become something else.
  func swipeEnded(isCancelled: Bool)
}

extension Widget {
  /// Tells of swipes over the widget, which takes them from nobody: what moves up or down scrolls, as ever.
  ///
  /// The target is held weakly. A pointer's drag is no swipe.
  public final func onSwipe(_ target: any SwipeTarget) {
    let touch = TouchSwipe(target)
    let drag = Object(Owned(taking: gtk_gesture_drag_new()))
    gtk_gesture_single_set_touch_only(drag.opaque, 1)
    touch.follow(drag)
    add(controller: drag)

    let touchpad = TouchpadSwipe(target)
    let scroll = Object(
      Owned(taking: gtk_event_controller_scroll_new(copypasta_GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)))
    touchpad.follow(scroll, over: self)
    add(controller: scroll)
  }
}

/// Which way a movement goes, once that can be told.
private enum Course {
  case unknown, sideways, otherwise

  /// As far as a finger trembles, in pixels.
  private static let tremble = 12.0

  init(_ x: Double, _ y: Double) {
    if max(abs(x), abs(y)) < Self.tremble {
      self = .unknown
    } else {
      self = abs(x) > 1.5 * abs(y) ? .sideways : .otherwise
    }
  }
}

/// A finger on the screen.
@MainActor
private final class TouchSwipe {
  private weak var target: (any SwipeTarget)?
  private var course = Course.unknown
  private var start = Point(x: 0, y: 0)

  init(_ target: any SwipeTarget) { self.target = target }

  func follow(_ drag: Object) {
    let gesture = drag.opaque
    drag.connect("drag-begin") { (x: Double, y: Double) in
      self.course = .unknown
      self.start = Point(x: x, y: y)
    }
    drag.connect("drag-update") { (x: Double, y: Double) in self.moved(x, y, gesture) }
    drag.connect("drag-end") { self.ended(isCancelled: false) }
    drag.connect("cancel") { self.ended(isCancelled: true) }
  }

  private func moved(_ x: Double, _ y: Double, _ gesture: OpaquePointer) {
    if course == .unknown {
      course = Course(x, y)
      if course == .sideways, target?.swipeBegan(at: start) != true { course = .otherwise }
      // Claimed, it is no click and no scrolling any more; denied, it is theirs.
      if course == .sideways { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED) }
      if course == .otherwise { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED) }
    }
    if course == .sideways { target?.swipeMoved(to: x) }
  }

  private func ended(isCancelled: Bool) {
    if course == .sideways { target?.swipeEnded(isCancelled: isCancelled) }
    course = .unknown
  }
}

/// Two fingers on a touchpad, which GTK tells as scrolling with a beginning and an end.
@MainActor
private final class TouchpadSwipe {
  private weak var target: (any SwipeTarget)?
  /// Nil if no finger is on the touchpad: a wheel has neither beginning nor end.
  private var moved: Point?
  private var course = Course.unknown

  init(_ target: any SwipeTarget) { self.target = target }

  func follow(_ scroll: Object, over widget: Widget) {
    let controller = scroll.opaque
    scroll.connect("scroll-begin") {
      self.moved = Point(x: 0, y: 0)
      self.course = .unknown
    }
    scroll.connectQuestion("scroll") { [weak widget] (x: Double, y: Double) -> Bool in
      guard let widget, gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_SURFACE else {
        return false
      }
      return self.scrolled(x, y, over: widget, controller)
    }
    scroll.connect("scroll-end") {
      if self.course == .sideways { self.target?.swipeEnded(isCancelled: false) }
      self.moved = nil
      self.course = .unknown
    }
  }

  /// Whether the movement is a swipe's.
  private func scrolled(_ x: Double, _ y: Double, over widget: Widget, _ controller: OpaquePointer) -> Bool {
    guard var moved else { return false }
    // Scrolling says where the view goes, which is where the fingers do not.
    moved.x -= x
    moved.y -= y
    self.moved = moved
    if course == .unknown {
      course = Course(moved.x, moved.y)
      if course == .sideways,
        target?.swipeBegan(at: pointer(of: controller, in: widget)) != true
      {
        course = .otherwise
      }
    }
    if course == .sideways { target?.swipeMoved(to: moved.x) }
    return course == .sideways
  }

  private func pointer(of controller: OpaquePointer, in widget: Widget) -> Point {
    var x = 0.0
    var y = 0.0
    // A scroll event does not say where the pointer is, and the touchpad itself does not know.
    if let event = gtk_event_controller_get_current_event(controller),
      let pointer = gdk_seat_get_pointer(gdk_event_get_seat(event))
    {
      gdk_surface_get_device_position(gdk_event_get_surface(event), pointer, &x, &y, nil)
    }
    return widget.point(ofSurface: Point(x: x, y: y))
  }
}
