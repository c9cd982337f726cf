import CGtk
import GtkTestSupport
import Testing

@testable import GtkKit
