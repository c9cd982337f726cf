import Testing

/// What CopyPasta promises its users: a suite with one of these tags fails if the promise is broken.
extension Tag {
  /// Every copy is recorded, once, byte for byte.
  @Tag static var recordsEveryCopy: Self

  /// Selection owners, requestors, trays, portals and buses that misbehave do no harm.
  @Tag static var survivesOthers: Self

  /// A deleted text is in no file.
  @Tag static var forgets: Self

  /// A damaged history is recovered, every readable row is shown, and no file makes the program crash or hang.
  @Tag static var recovers: Self

  /// Nothing is deleted for its age without a yes, unless the clock is known to be right.
  @Tag static var asksBeforeExpiry: Self

  /// The shortcut shows the window wherever it is, and keys typed then reach it.
  @Tag static var popsUp: Self

  /// Everything works by keys, mouse, touch and screen reader, in every theme, size and language.
  @Tag static var isAccessible: Self

  /// The list is as fast at 1,000,000 rows as at 100.
  @Tag static var scales: Self
}
