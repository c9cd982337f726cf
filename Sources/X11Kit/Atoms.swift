import CXCB
import ClipboardCore

/// The numbers that the server has given to the names in use.
///
/// They hold as long as the server runs. A name is "None" if the server was out of memory when it was asked: a request
/// with it is refused later on.
struct Atoms {
  /// Names of X11's own, as the server knows them.
  enum Name: String, CaseIterable {
    case clipboard = "CLIPBOARD"
    case targets = "TARGETS"
    case timestamp = "TIMESTAMP"
    case multiple = "MULTIPLE"
    case incr = "INCR"

    case clipboardManager = "CLIPBOARD_MANAGER"
    case saveTargets = "SAVE_TARGETS"
    case activeWindow = "_NET_ACTIVE_WINDOW"

    case atomType = "ATOM"
    case integerType = "INTEGER"
    case atomPairType = "ATOM_PAIR"

    /// Properties of our own windows, one for each question: no answer is taken for another's.
    case timeProperty = "COPYPASTA_TIME"
    case targetsProperty = "COPYPASTA_TARGETS"
    case hintProperty = "COPYPASTA_HINT"
    case handOverProperty = "COPYPASTA_HAND_OVER"
    case textProperty = "COPYPASTA_TEXT"
  }

  private let numbers: [String: Atom]

  /// Asks for all of them at once: one round trip.
  init(_ connection: XConnection) throws(TransferError) {
    let names = Name.allCases.map(\.rawValue) + TextFormat.names + [SecretHint.name]
    let sequences = names.map {
      xcb_intern_atom(connection.handle, 0, UInt16($0.utf8.count), $0).sequence
    }
    var numbers: [String: Atom] = [:]
    for (name, sequence) in zip(names, sequences) {
      let reply = try connection.reply(xcb_intern_atom_reply_t.self, to: sequence, .endless)
      numbers[name] = reply?.body.atom
    }
    self.numbers = numbers
  }

  subscript(name: Name) -> Atom { numbers[name.rawValue] ?? noAtom }

  subscript(format: TextFormat) -> Atom { numbers[format.rawValue] ?? noAtom }

  /// The mark of a secret.
  var secretHint: Atom { numbers[SecretHint.name] ?? noAtom }

  /// Every target that means text, the preferred ones first.
  var textTargets: [Atom] { TextFormat.allCases.map { self[$0] } }
}
