import Testing

/// Tests on X servers of their own.
///
/// The tests of a suite share one clipboard, so they run one at a time.
@Suite enum X11KitTests {}
