import TextPipeline

/// The entry point for libFuzzer, which reports input on which this function crashes or hangs.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let problem = TextPipeline.problem(with: bytes) { fatalError(problem) }
  return 0
}
