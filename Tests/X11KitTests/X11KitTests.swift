import Testing

/// All tests share one display, and with it one clipboard: one at a time.
@Suite(.serialized) enum X11KitTests {}
