import ClipHistory
import ClipboardCore
import Foundation
import GtkTestSupport
import Synchronization
import TestSupport
import Testing
import X11Kit

@testable import CopyPastaApp

/// The program's two connections for the clipboard on X11.
@MainActor
@Suite struct X11ClipboardTests {
  @Test func `whoever comes first, a paste or the following, both hear when reading is allowed`() async throws
  {
    try await VirtualDesktop.with { desktop in
      let display = try #require(desktop.environment["DISPLAY"])
      let owner = try SelectionOwner(display: display)
      try await owner.offer(Array("there".utf8))
      for _ in 1...20 {
        let source = X11Clipboard(display: display).source
        let hasOffer = Atomic(false)
        let following = Task.detached {
          try await source.nextOffer()
          hasOffer.store(true, ordering: .relaxed)
        }
        let paste = Task.detached { try await source.read(within: TransferLimits(), onPurpose: true) }
        #expect(try await paste.value == .text(Array("there".utf8)))
        source.allowReading(true)
        try #require(try await eventually { hasOffer.load(ordering: .relaxed) })
        try await following.value
      }
    }
  }

  @Test func `two texts that are offered at once have one owner`() async throws {
    try await VirtualDesktop.with { desktop in
      let display = try #require(desktop.environment["DISPLAY"])
      let clipboard = X11Clipboard(display: display)
      let texts = try ["one", "two"].map { try ClipText(validating: Array($0.utf8)) }
      let offers = texts.map { text in Task { @MainActor in try await clipboard.offer(text) } }
      for offer in offers { try await offer.value }
      #expect(try await clipboard.source.read(within: TransferLimits(), onPurpose: true) == .own)
    }
  }
}
