/// One read of the clipboard, from asking whose it is to the last piece of the text.
final class SelectionRead {
  let connection: Connection
  let atoms: Atoms
  /// Where the answers arrive.
  ///
  /// It lives as long as this read.
  let requestor: Window
  /// The longest wait for one answer, and what ends the whole read.
  let silence: Duration, patience: Patience
  private let limit: Int
  /// The owner's window, whose end we are told of.
  private(set) var watched = noWindow

  init(_ connection: Connection, _ atoms: Atoms, limit: Int, silence: Duration, _ patience: Patience) {
    self.connection = connection
    self.atoms = atoms
    self.limit = limit
    self.silence = silence
    self.patience = patience
    requestor = connection.makeWindow()
  }

  /// To be called once, however the read ended.
  func end() {
    unwatch()
    connection.destroy(requestor)
    connection.flush()
  }

  /// What is on the clipboard.
  func content(ownWindow: Window?) throws(SelectionReadError) -> SelectionContent {
    switch try findOwner(ownWindow: ownWindow) {
    case .nobody: return .noText
    case .ourselves: return .own
    case .another: break
    }
    // A time of the server's in place of "CurrentTime" (ICCCM 2.4): some owners refuse the latter.
    let time = try serverTime()
    let offered = try offeredTargets(at: time)
    if offered.contains(atoms[.passwordManagerHint]), try isSecret(at: time) { return .secret }
    guard let target = AtomName.textTargets.first(where: { offered.contains(atoms[$0]) }) else {
      return .noText
    }
    return .text(try text(as: target, at: time))
  }

  // MARK: - The owner

  private enum Owner { case nobody, ourselves, another }

  /// Finds the owner, and asks the server to tell when its window goes.
  private func findOwner(ownWindow: Window?) throws(SelectionReadError) -> Owner {
    var owner = try currentOwner()
    while let window = owner, window != ownWindow {
      let selecting = watch(window)
      // Asked again: it may have gone, or have been replaced, before the watch began.
      owner = try currentOwner()
      let isGone = connection.hasFailed(selecting)
      guard owner == window else { continue }
      if isGone { throw .ownerGone }
      return .another
    }
    return owner == nil ? .nobody : .ourselves
  }

  private func currentOwner() throws(SelectionReadError) -> Window? {
    try SelectionReadError.translating { () throws(Interruption) in
      try connection.owner(of: atoms[.clipboard], patience)
    }
  }

  private func watch(_ window: Window) -> UInt32 {
    unwatch()
    watched = window
    return connection.selectChecked(.structure, on: window)
  }

  private func unwatch() {
    if watched != noWindow { connection.select(.none, on: watched) }
    watched = noWindow
  }

  // MARK: - The questions

  private func serverTime() throws(SelectionReadError) -> UInt32 {
    let property = atoms[.timeProperty]
    connection.requestTime(for: requestor, through: property)
    return try wait(patience) { [requestor] event in
      guard case .propertySet(requestor, property, let time) = event else { return nil }
      return time
    }
  }

  /// What the owner offers; nothing where it does not say so in the form of ICCCM 2.6.2, a list of atoms.
  ///
  /// Such an owner is not asked for text on suspicion: what it does not list may be a secret's mark.
  private func offeredTargets(at time: UInt32) throws(SelectionReadError) -> Set<Atom> {
    let answer = try convert(to: .targets, into: .targetsProperty, limit: 256 << 10, at: time)
    guard case .value(_, format: 32, let bytes) = answer else { return [] }
    return bytes.withUnsafeBytes { Set($0.bindMemory(to: Atom.self)) }
  }

  /// Whether the owner means the mark that it lists.
  ///
  /// Only the value `secret` does, whatever the type: xclip, told to offer this target, gives its text for it.
  /// An owner that keeps the value to itself is taken at its mark's word.
  private func isSecret(at time: UInt32) throws(SelectionReadError) -> Bool {
    switch try convert(to: .passwordManagerHint, into: .hintProperty, limit: 4096, at: time) {
    case .refused: return true
    case .tooLarge: return false
    case .value(_, _, let bytes):
      let end = bytes.lastIndex { $0 != 0 && $0 != UInt8(ascii: "\n") } ?? -1
      return bytes[...end].elementsEqual("secret".utf8)
    }
  }

  private func text(as target: AtomName, at time: UInt32) throws(SelectionReadError) -> [UInt8] {
    switch try convert(to: target, into: .textProperty, limit: limit, at: time) {
    case .tooLarge: throw .tooLarge(limit: limit)
    case .value(let type, format: 8, let bytes):
      guard let encoding = TextEncoding(type: type, target: target, atoms) else { throw .refused }
      let text = encoding.utf8(bytes)
      // ISO 8859-1 grows.
      guard text.count <= limit else { throw .tooLarge(limit: limit) }
      return text
    case .refused, .value: throw .refused
    }
  }
}
