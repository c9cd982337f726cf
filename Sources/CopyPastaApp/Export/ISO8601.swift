/// Times as `--export` writes them, such as `2026-11-21T19:06:27.000042Z`.
enum ISO8601 {
  /// In microseconds since 1970 UTC; nil before that, and if it is no such time.
  static func microseconds(_ text: [UInt8]) -> Int64? {
    guard text.count >= 20, text.last == UInt8(ascii: "Z"), text[10] == UInt8(ascii: "T"),
      text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      let year = number(text[..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
      let hour = number(text[11..<13]), let minute = number(text[14..<16]),
      let second = number(text[17..<19]),
      let fraction = fraction(text[19..<(text.count - 1)]),
      year >= 1970, (1...12).contains(month), (1...days(in: month, of: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days =
      days(before: year) - days(before: 1970) + (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) }
    return (((days + day - 1) * 24 + hour) * 60 + minute) * 60_000_000 + second * 1_000_000 + fraction
  }

  /// A point and up to six digits, or nothing, in microseconds.
  private static func fraction(_ text: ArraySlice<UInt8>) -> Int64? {
    guard let point = text.first else { return 0 }
    guard point == UInt8(ascii: "."), (2...7).contains(text.count), let value = number(text.dropFirst())
    else {
      return nil
    }
    return (text.count..<7).reduce(value) { value, _ in value * 10 }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: days(before: year + 1) - days(before: year) - 337
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func days(before year: Int64) -> Int64 {
    let past = year - 1
    return past * 365 + past / 4 - past / 100 + past / 400
  }
}
