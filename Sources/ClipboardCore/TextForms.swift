/// The text forms of one offer: which form to request next, and why the earlier ones brought no text.
///
/// After a form that was refused, empty or not answered, the next one is requested, because some programs list forms
/// that they do not serve. Once a form was not answered for `idleTimeout`, the remaining forms share one
/// more `idleTimeout`.
///
/// ```swift
/// while let (form, wait) = forms.next() {
///   do {
///     let text = try read(form, within: wait)
///     if !text.isEmpty { return text }
///     forms.skip(nil)
///   } catch { forms.skip(error) }
/// }
/// return try forms.unserved.get()
/// ```
public struct TextForms<Form> {
  private var rest: ArraySlice<Form>
  private let idleTimeout: Duration
  /// How long each remaining form may take, once a form was not answered; nil before.
  private var share: Duration?
  private var hasFailed = false

  /// Creates the forms in the order in which to request them.
  ///
  /// - Parameter idleTimeout: how long the owner may take to begin its answer.
  public init(_ forms: [Form], idleTimeout: Duration) {
    rest = forms[...]
    self.idleTimeout = idleTimeout
  }

  /// Whether no form is left.
  public var isEmpty: Bool { rest.isEmpty }

  /// Returns the next form, and how long to wait for its answer; nil after the last form.
  public mutating func next() -> (form: Form, wait: Duration)? {
    rest.popFirst().map { ($0, share ?? idleTimeout) }
  }

  /// Notes that the last form brought no text; `error` is nil if its text was empty.
  public mutating func skip(_ error: TransferError?) {
    if error == .timedOut { share = share ?? idleTimeout / max(rest.count, 1) }
    hasFailed = hasFailed || error != nil
  }

  /// The result once no form is left: an empty text only if every form was served with an empty text.
  public var unserved: Result<[UInt8], TransferError> {
    share != nil ? .failure(.timedOut) : hasFailed ? .failure(.refused) : .success([])
  }
}
