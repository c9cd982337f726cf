import TestSupport
import Testing

extension Trait where Self == IssueHandlingTrait {
  /// Keeps a picture of the screen for each failed expectation; see `VirtualDesktop.keepPicture`.
  static var keepsPictures: Self {
    .compactMapIssues { issue in
      VirtualDesktop.keepPicture()
      return issue
    }
  }
}
