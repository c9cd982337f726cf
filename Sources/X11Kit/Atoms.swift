import CXCB
import ClipboardCore

/// The atoms in use, by the name that the server knows them by.
enum AtomName: String, CaseIterable {
  case clipboard = "CLIPBOARD"
  case targets = "TARGETS"
  case timestamp = "TIMESTAMP"
  case multiple = "MULTIPLE"
  case incr = "INCR"

  case clipboardManager = "CLIPBOARD_MANAGER"
  case saveTargets = "SAVE_TARGETS"
  case activeWindow = "_NET_ACTIVE_WINDOW"

  case utf8String = "UTF8_STRING"
  case plainUTF8 = "text/plain;charset=utf-8"
  case plainUpperUTF8 = "text/plain;charset=UTF-8"
  case plain = "text/plain"
  case string = "STRING"
  case text = "TEXT"
  /// The mark of a secret, `SecretHint.name`.
  case passwordManagerHint = "x-kde-passwordManagerHint"

  case atomType = "ATOM"
  case integerType = "INTEGER"
  case atomPairType = "ATOM_PAIR"

  /// Properties of our own windows, one for each question: no answer is taken for another's.
  case timeProperty = "COPYPASTA_TIME"
  case targetsProperty = "COPYPASTA_TARGETS"
  case hintProperty = "COPYPASTA_HINT"
  case handOverProperty = "COPYPASTA_HAND_OVER"
  case textProperty = "COPYPASTA_TEXT"

  /// What means text, the best first.
  static let textTargets = TextFormat.names.compactMap(AtomName.init)
}

/// The numbers that the server has given to the names.
///
/// They hold as long as the server runs.
struct Atoms {
  private let numbers: [AtomName: Atom]

  /// Asks for all of them at once: one round trip.
  init(_ connection: Connection) throws(Interruption) {
    let sequences = AtomName.allCases.map {
      xcb_intern_atom(connection.handle, 0, UInt16($0.rawValue.utf8.count), $0.rawValue).sequence
    }
    var numbers: [AtomName: Atom] = [:]
    for (name, sequence) in zip(AtomName.allCases, sequences) {
      let reply = try connection.reply(xcb_intern_atom_reply_t.self, to: sequence, .endless)
      numbers[name] = reply?.body.atom
    }
    self.numbers = numbers
  }

  /// "None" where the server was out of memory when it was asked: such a request is refused later on.
  subscript(name: AtomName) -> Atom { numbers[name] ?? noAtom }
}
