import Testing

/// The tests share one display and clipboard, so they run one at a time.
@Suite(.serialized) enum X11KitTests {}
