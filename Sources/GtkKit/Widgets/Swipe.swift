import CGtk

/// A swipe: a sideways movement of one finger on a touchscreen, or of two fingers on a touchpad.
@MainActor
public protocol Swipe: AnyObject {
  /// Called with the distance from the start, in pixels; positive to the right.
  func moved(to distance: Double)
  /// Called when the fingers are lifted, or another gesture has taken over.
  func ended(isCancelled: Bool)
}

extension Widget {
  /// Reports swipes over the widget.
  ///
  /// Vertical movements continue to scroll. A pointer's drag is not a swipe.
  ///
  /// - Parameter start: Called when fingers touch the widget; returns the swipe that may start at that point, or nil.
  public final func onSwipe(_ start: @escaping @MainActor (Point) -> (any Swipe)?) {
    followFinger(Movement(start))
    followTouchpad(Movement(start))
  }

  private func followFinger(_ movement: Movement) {
    let drag = add(controller: gtk_gesture_drag_new())
    gtk_gesture_single_set_touch_only(drag.opaque, 1)
    drag.connect("drag-begin") { (x: Double, y: Double) in movement.begin(at: Point(x: x, y: y)) }
    drag.connect("drag-update") { [gesture = drag.opaque] (x: Double, y: Double) in
      // Claim a swipe, so that it neither clicks nor scrolls; deny other movements, so that they can click or scroll.
      switch movement.move(x, y) {
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
    scroll.connect("scroll-begin") { [weak self, controller = scroll.opaque] in
      guard let self else { return }
      movement.begin(at: pointer(of: controller))
      moved.value = Point(x: 0, y: 0)
    }
    scroll.connectReturning("scroll") { [controller = scroll.opaque] (x: Double, y: Double) -> Bool in
      guard var point = moved.value,
        gtk_event_controller_scroll_get_unit(controller) == GDK_SCROLL_UNIT_SURFACE
      else { return false }
      // Scroll deltas describe the view's movement, which is opposite to the fingers' movement.
      point.x -= x
      point.y -= y
      moved.value = point
      let direction = movement.move(point.x, point.y)
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

/// A movement of fingers, which is a swipe if it is horizontal and something can be swiped where it started.
@MainActor
final class Movement {
  enum Direction {
    case undecided, horizontal, other
  }

  /// The distance, in pixels, below which a movement has no direction yet.
  private static let threshold = 12.0

  private let start: @MainActor (Point) -> (any Swipe)?
  private var swipe: (any Swipe)?
  private var direction = Direction.undecided

  init(_ start: @escaping @MainActor (Point) -> (any Swipe)?) { self.start = start }

  func begin(at point: Point) {
    direction = .undecided
    swipe = start(point)
  }

  /// Handles a movement by `x` and `y` from its beginning.
  func move(_ x: Double, _ y: Double) -> Direction {
    if direction == .undecided, max(abs(x), abs(y)) >= Self.threshold {
      direction = swipe != nil && abs(x) > 1.5 * abs(y) ? .horizontal : .other
    }
    if direction == .horizontal { swipe?.moved(to: x) }
    return direction
  }

  func end(isCancelled: Bool) {
    if direction == .horizontal { swipe?.ended(isCancelled: isCancelled) }
    direction = .undecided
    swipe = nil
  }
}
