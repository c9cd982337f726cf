import Testing

/// What CopyPasta promises its users: a suite with one of these tags fails if the promise is broken.
extension Tag {
  /// Every copy is recorded, once, byte for byte.
  @Tag static var recordsEveryCopy: Self

  /// An item that was shown is on disk.
  @Tag static var isDurable: Self

  /// A deleted text is in no file.
  @Tag static var forgets: Self

  /// No text reaches a log, a crash report, a title or another user.
  @Tag static var keepsPrivate: Self

  /// A damaged history is recovered, every readable row is shown, and no file makes the program crash or hang.
  @Tag static var recovers: Self

  /// Nothing is deleted for its age without a yes, unless the clock is known to be right.
  @Tag static var asksBeforeExpiry: Self

  /// The list is as fast at 1,000,000 rows as at 100.
  @Tag static var scales: Self
}
