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
  /// Tells of swipes over the widget, which takes them from nobody: fingers that move up or down scroll, as ever.
  ///
  /// The target is held weakly. A pointer's drag is no swipe.
  public final func onSwipe(_ target: any SwipeTarget) {
    followFinger(Movement(target))
    followTouchpad(Movement(target))
  }

  /// A finger on the screen.
  private func followFinger(_ movement: Movement) {
    let drag = add(controller: gtk_gesture_drag_new())
    gtk_gesture_single_set_touch_only(drag.opaque, 1)
    let start = Shared(Point(x: 0, y: 0))
    drag.connect("drag-begin") { (x: Double, y: Double) in
      movement.begin()
      start.value = Point(x: x, y: y)
    }
    drag.connect("drag-update") { [gesture = drag.opaque] (x: Double, y: Double) in
      // A claimed movement is no click and no scrolling any more; a denied one is theirs.
      switch movement.move(x, y, from: start.value) {
      case .unknown: break
      case .sideways: gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
      case .otherwise: gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED)
      }
    }
    drag.connect("drag-end") { movement.end(isCancelled: false) }
    drag.connect("cancel") { movement.end(isCancelled: true) }
  }

  /// Two fingers on a touchpad, which GTK tells as scrolling with a beginning and an end.
  private func followTouchpad(_ movement: Movement) {
    let scroll = add(
      controller: gtk_event_controller_scroll_new(copypasta_GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES))
    // Nil if no finger is on the touchpad: a wheel has neither beginning nor end.
    let moved = Shared<Point?>(nil)
    scroll.connect("scroll-begin") {
      movement.begin()
      moved.value = Point(x: 0, y: 0)
    }
    scroll.connectReturning("scroll") {
      [weak self, controller = scroll.opaque] (x: Double, y: Double) -> Bool in
      guard let self, var point = moved.value,
        gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_SURFACE
      else { return false }
      // Scrolling says where the view goes, which is where the fingers do not.
      point.x -= x
      point.y -= y
      moved.value = point
      let course = movement.move(point.x, point.y, from: pointer(of: controller))
      // A scrolled window that gets the beginning of a movement keeps the rest of it from its children.
      return course == .sideways || course == .unknown && abs(point.x) > abs(point.y)
    }
    scroll.connect("scroll-end") {
      movement.end(isCancelled: false)
      moved.value = nil
    }
  }

  private func pointer(of controller: OpaquePointer) -> Point {
    var (x, y) = (0.0, 0.0)
    // A scroll event does not say where the pointer is, and the touchpad itself does not know.
    if let event = gtk_event_controller_get_current_event(controller),
      let pointer = gdk_seat_get_pointer(gdk_event_get_seat(event))
    {
      gdk_surface_get_device_position(gdk_event_get_surface(event), pointer, &x, &y, nil)
    }
    return point(ofSurface: Point(x: x, y: y))
  }
}

/// A movement of fingers, which is a swipe if it goes sideways and there is something to be swiped.
@MainActor
private final class Movement {
  enum Course {
    case unknown, sideways, otherwise
  }

  /// As far as a finger trembles, in pixels.
  private static let tremble = 12.0

  private weak var target: (any SwipeTarget)?
  private var course = Course.unknown

  init(_ target: any SwipeTarget) { self.target = target }

  func begin() { course = .unknown }

  /// Follows the fingers, which are `x` and `y` away from where they began, `start`.
  func move(_ x: Double, _ y: Double, from start: @autoclosure () -> Point) -> Course {
    if course == .unknown, max(abs(x), abs(y)) >= Self.tremble {
      let isSwipe = abs(x) > 1.5 * abs(y) && target?.swipeBegan(at: start()) == true
      course = isSwipe ? .sideways : .otherwise
    }
    if course == .sideways { target?.swipeMoved(to: x) }
    return course
  }

  func end(isCancelled: Bool) {
    if course == .sideways { target?.swipeEnded(isCancelled: isCancelled) }
    course = .unknown
  }
}
