import ClipHistory
import Glibc
import GtkKit
import TestSupport
import Testing

@testable import CopyPastaApp

@MainActor
@Suite(.tags(.isAccessible)) struct WordsTests {
  private let second: Int64 = 1_000_000

  @Test func `ages are shown in everyday words`() {
    let now: Int64 = 1_790_000_000 * second
    let ages: [(seconds: Int64, spoken: String, shown: String)] = [
      (0, "just now", "just now"), (59, "just now", "just now"),
      (60, "1 minute ago", "1 min"), (3599, "59 minutes ago", "59 min"),
      (3600, "1 hour ago", "1 h"), (2 * 86400, "2 days ago", "2 days"), (3 * 86400, "3 days ago", "3 days"),
      // The clock was set back.
      (-5000, "just now", "just now"),
    ]
    for age in ages {
      let time = now - age.seconds * second
      #expect(Age.text(of: time, at: now) == age.spoken)
      #expect(Age.short(of: time, at: now) == age.shown)
    }
  }

  @Test func `an age counts hours across midnight, and days in the user's time zone`() {
    let zone = getenv("TZ").map { String(cString: $0) }
    defer {
      if let zone { setenv("TZ", zone, 1) } else { unsetenv("TZ") }
      LocalTime.updateZone()
    }
    setenv("TZ", "UTC-3", 1)
    #expect(LocalTime.updateZone() && !LocalTime.updateZone())
    // This is 0:30 in the zone, and 21:30 of the day before in UTC.
    let halfPastMidnight = (Int64(1_790_000_000) / 86_400 * 86_400 - 3 * 3600 + 1800) * second
    func age(ofHours hours: Int64) -> String {
      Age.short(of: halfPastMidnight - hours * 3600 * second, at: halfPastMidnight)
    }
    #expect(age(ofHours: 1) == "1 h")
    #expect(age(ofHours: 5) == "5 h")
    #expect(age(ofHours: 7) == "yesterday")
    #expect(age(ofHours: 24) == "yesterday")
    #expect(age(ofHours: 25) == "2 days")
  }

  @Test(
    arguments: [
      .min, -1, 0, 1_790_000_000_000_000 + 86_400_000_000, 4_000_000_000_000_000_000, .max,
    ] as [Int64])
  func `an impossible time is unknown to a screen reader and blank in a row`(time: Int64) {
    let now = 1_790_000_000 * second
    #expect(Age.text(of: time, at: now) == "unknown time")
    #expect(Age.short(of: time, at: now).isEmpty)
  }

  @Test func `no age that a row shows is longer than the samples`() {
    let now: Int64 = 1_790_000_000 * second
    let longest = Age.samples(at: now).map(\.count).max() ?? 0
    for hours in 0..<24 * 800 as Range<Int64> {
      #expect(Age.short(of: now - hours * 3600 * second, at: now).count <= longest)
    }
  }

  private func speak(_ locale: TestLocale) {
    setenv("LOCPATH", locale.folder, 1)
    #expect(setlocale(LC_ALL, locale.name) != nil)
  }

  private func speakEnglish() {
    unsetenv("LOCPATH")
    setlocale(LC_ALL, "C.UTF-8")
  }

  @Test func `the time of a clip from yesterday is shown in the language's clock format`() async throws {
    // Compute noon of the day before in the local time zone.
    let noon = (Int64(1_790_000_000) / 86_400 * 86_400 - 12 * 3600) * second
    let offset = Int64(LocalTime.format(noon, "%z")) ?? 0
    let yesterday = noon - (offset / 100 * 3600 + offset % 100 * 60) * second
    let now = yesterday + 24 * 3600 * second
    #expect(Age.text(of: yesterday, at: now) == "yesterday at 12:00")
    try await TestLocale.with { locale in
      speak(locale)
      defer { speakEnglish() }
      #expect(Age.text(of: yesterday + 3600 * second, at: now) == "yesterday at 1:00 PM")
    }
  }

  @Test func `a date is short, in the language's order, and omits the current year`() async throws {
    // This is 14 November 2023, about 22:00 UTC.
    let time: Int64 = 1_700_000_000 * second
    func dates() -> [String] {
      [20, 300].map { Age.short(of: time, at: time + $0 * 86_400 * second) } + [Age.date(time)]
    }
    // The C locale would format the date as 11/14/23.
    #expect(dates() == ["Nov 14", "Nov 14, 2023", "Nov 14, 2023"])
    #expect(Age.moment(time).hasPrefix("Nov 14, 2023, "))
    try await TestLocale.with("en_GB") { locale in
      speak(locale)
      defer { speakEnglish() }
      #expect(dates() == ["14 Nov", "14 Nov 2023", "14 Nov 2023"])
      #expect(Age.moment(time).hasPrefix("14 Nov 2023, "))
    }
  }

  @Test func `every store error has a one-line message`() {
    let errors: [StoreError] = [
      .folderUnusable(path: "/x", errno: 13), .cannotOpen(path: "/x", code: 14), .readOnly, .damaged,
      .foreign,
      .newerSchema(found: 9, known: 1), .locked, .diskFull, .alreadyThere, .replaced, .openElsewhere,
      .failed(code: 1), .irregular(path: "/x"), .noLocks(path: "/x"), .noSharedMemory(path: "/x"),
      .cannotBeRecovered, .clipUnreadable,
    ]
    for error in errors {
      #expect(!error.message.isEmpty && !error.message.contains("\n") && !error.message.contains("%s"))
    }
  }
}
