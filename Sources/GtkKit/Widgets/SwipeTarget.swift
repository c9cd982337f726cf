import CGtk

/// Reacts to swipes over a widget: sideways movements of one finger on a touchscreen, or of two fingers on a touchpad.
@MainActor
public protocol SwipeTarget: AnyObject {
  /// Called when a swipe starts at a point of the widget.
  ///
  /// - Returns: whether something at this point can be swiped.
  func swipeBegan(at point: Point) -> Bool
  /// Called with the distance from the start, in pixels; positive to the right.
  func swipeMoved(to distance: Double)
  /// Called when the fingers are lifted, or another gesture has taken over.
  func swipeEnded(isCancelled: Bool)
}

extension Widget {
  /// Reports swipes over the widget to `target`, which is referenced weakly.
  ///
  /// Vertical movements continue to scroll. A pointer's drag is not a swipe.
  public final func onSwipe(_ target: any SwipeTarget) {
    followFinger(Movement(target))
    followTouchpad(Movement(target))
  }

  private func followFinger(_ movement: Movement) {
    let drag = add(controller: gtk_gesture_drag_new())
    gtk_gesture_single_set_touch_only(drag.opaque, 1)
    let start = Shared(Point(x: 0, y: 0))
    drag.connect("drag-begin") { (x: Double, y: Double) in
      movement.begin()
      start.value = Point(x: x, y: y)
    }
    drag.connect("drag-update") { [gesture = drag.opaque] (x: Double, y: Double) in
      // Claim a swipe, so that it neither clicks nor scrolls; deny other movements, so that they can click or scroll.
      switch movement.move(x, y, from: start.value) {
      case .undecided: break
      case .horizontal: gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED)
      case .other: gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED)
      }
    }
    drag.connect("drag-end") { movement.end(isCancelled: false) }
    drag.connect("cancel") { movement.end(isCancelled: true) }
  }

  /// Follows two fingers on a touchpad, which GTK reports as scroll events with a beginning and an end.
  private func followTouchpad(_ movement: Movement) {
    let scroll = add(
      controller: gtk_event_controller_scroll_new(copypasta_GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES))
    // Nil while no finger is on the touchpad, and thus also for a wheel, whose events have no beginning or end.
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
      // Scroll deltas describe the view's movement, which is opposite to the fingers' movement.
      point.x -= x
      point.y -= y
      moved.value = point
      let direction = movement.move(point.x, point.y, from: pointer(of: controller))
      // Handle even the first events of a sideways movement, because a scrolled window that receives them withholds the
      // later ones from its children.
      return direction == .horizontal || direction == .undecided && abs(point.x) > abs(point.y)
    }
    scroll.connect("scroll-end") {
      movement.end(isCancelled: false)
      moved.value = nil
    }
  }

  private func pointer(of controller: OpaquePointer) -> Point {
    var (x, y) = (0.0, 0.0)
    // A scroll event contains no position, and the touchpad device has none, so ask the seat's pointer.
    if let event = gtk_event_controller_get_current_event(controller),
      let pointer = gdk_seat_get_pointer(gdk_event_get_seat(event))
    {
      gdk_surface_get_device_position(gdk_event_get_surface(event), pointer, &x, &y, nil)
    }
    return point(ofSurface: Point(x: x, y: y))
  }
}

/// A movement of fingers, which is a swipe if it is horizontal and the target accepts it.
@MainActor
final class Movement {
  enum Direction {
    case undecided, horizontal, other
  }

  /// The distance, in pixels, below which a movement has no direction yet.
  private static let tremble = 12.0

  private weak var target: (any SwipeTarget)?
  private var direction = Direction.undecided

  init(_ target: any SwipeTarget) { self.target = target }

  func begin() { direction = .undecided }

  /// Handles a movement by `x` and `y` from its beginning at `start`.
  func move(_ x: Double, _ y: Double, from start: @autoclosure () -> Point) -> Direction {
    if direction == .undecided, max(abs(x), abs(y)) >= Self.tremble {
      let isSwipe = abs(x) > 1.5 * abs(y) && target?.swipeBegan(at: start()) == true
      direction = isSwipe ? .horizontal : .other
    }
    if direction == .horizontal { target?.swipeMoved(to: x) }
    return direction
  }

  func end(isCancelled: Bool) {
    if direction == .horizontal { target?.swipeEnded(isCancelled: isCancelled) }
    direction = .undecided
  }
}
