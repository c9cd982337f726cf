/// What is kept of the last captured text, to recognise it when it is offered again.
///
/// The digest is keyed, with a random key that each history has of its own: a plain hash of a secret that
/// was deleted since could be looked up in a table of common passwords. It is no more than that: the key lies in the
/// same file, so whoever has the file can still test a guess at the last captured text, one guess at a time,
/// and knows its size.
struct Fingerprint: Equatable {
  let digest: [UInt8]
  let byteCount: Int
}
