/// How long a store waits for others.
struct Patience: Sendable {
  /// For another program's lock, in milliseconds.
  var lock: Int32 = 2000
  /// For readers, each time the log is to be emptied, in milliseconds: captures wait meanwhile.
  var readers: Int32 = 50
  /// Before each of the further tries to empty the log after a deletion, where nothing is written in between.
  var retries: [Duration] = [.seconds(1), .seconds(10), .seconds(60)]
}
