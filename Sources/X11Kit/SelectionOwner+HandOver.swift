/// Leaving the text to the desktop's clipboard manager (ClipboardManager specification of freedesktop.org).
extension SelectionOwner {
  /// Asks the clipboard manager to keep the text, for it to outlast this program; waits until it has it.
  ///
  /// It takes the clipboard over then, and the loss handler is called.
  /// - Returns: false where there is no manager, where it refuses, or where it takes longer than `limit`.
  public func handOver(within limit: Duration) -> Bool {
    guard isOwner else { return false }
    defer { handleEvents() }
    do {
      return try askManager(Patience.endless.limited(to: limit))
    } catch {
      return false
    }
  }

  private func askManager(_ patience: Patience) throws(Interruption) -> Bool {
    guard try connection.owner(of: atoms[.clipboardManager], patience) != nil else { return false }
    let property = atoms[.handOverProperty]
    connection.setProperty(property, of: window, type: atoms[.atomType], elements: targetsToKeep)
    connection.convert(
      atoms[.clipboardManager], to: atoms[.saveTargets], into: property, of: window, at: try serverTime())
    while true {
      let event = try connection.nextEvent(patience)
      if case .selectionAnswered(let answer) = event, answer.selection == atoms[.clipboardManager] {
        return answer.property != noAtom
      }
      // The manager asks for the text before it answers.
      handle(event)
    }
  }

  /// Every form of a short text; of a long one that which all programs know, for the others are the same bytes again.
  private var targetsToKeep: [Atom] {
    let isShort = (offer?.bytes.count ?? 0) <= transfers.pieceLength
    return (isShort ? AtomName.textTargets : [.utf8String]).map { atoms[$0] }
  }
}
