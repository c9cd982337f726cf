import Testing

/// What CopyPasta promises its users: a suite with one of these tags fails if the promise is broken.
extension Tag {
  /// The clipboard is read only while the window is active, and not while paused.
  @Tag static var readsOnlyWhileActive: Self

  /// A secret is neither requested nor stored.
  @Tag static var skipsSecrets: Self

  /// Selection owners, requestors, trays, portals and buses that misbehave do no harm.
  @Tag static var survivesOthers: Self

  /// The shortcut shows the window wherever it is, and keys typed then reach it.
  @Tag static var popsUp: Self

  /// A copied text can be pasted after the window is closed.
  @Tag static var outlivesTheWindow: Self
}
