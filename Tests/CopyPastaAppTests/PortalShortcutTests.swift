import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// The portal of global shortcuts, with one that behaves and with those that do not.
@MainActor @Suite struct PortalShortcutTests {
  private let portal: FakePortal
  private let shortcut: PortalShortcut
  private let told = Told()
  private let keys: Accelerator
  private static let held = ShortcutState.held(by: .portal, name: "Ctrl+Meta+V")

  init() async throws {
    let portal = try await FakePortal()
    self.portal = portal
    keys = try #require(Accelerator("<Control><Super>v"))
    shortcut = PortalShortcut(limits: .patient) { portal.client }
    told.follow(shortcut)
  }

  // MARK: One that behaves

  @Test func `asks for what the user has set`() async throws {
    try await portal.start()
    #expect(try await start(nil, Accelerator("<Control><Shift><Super>v")) == Self.held)
    let options = try #require(portal.arguments["CreateSession"]?[0]?.dictionary)
    #expect(options["session_handle_token"]?.string == "copypasta")
    let bound = try #require(portal.arguments["BindShortcuts"])
    #expect(bound[0]?.string == FakePortal.handle)
    #expect(bound[1] == options["shortcuts"])
    let shortcut = try #require(bound[1]?[0])
    #expect(shortcut[0]?.string == "toggle-history")
    #expect(shortcut[1]?.dictionary?["preferred_trigger"]?.string == "CTRL+SHIFT+LOGO+v")
    #expect(shortcut[1]?.dictionary?["description"]?.string?.isEmpty == false)
  }

  @Test func `what is granted at once is not asked for again`() async throws {
    portal.grantsAtOnce = true
    try await portal.start()
    #expect(try await start() == Self.held)
    #expect(portal.questions == 0)
  }

  /// As KDE 6 does; asked for it again, its version 6.3 opens System Settings at each start.
  @Test func `what KDE remembers is not asked for again`() async throws {
    portal.remembered = portal.granted
    try await portal.start()
    #expect(try await startOnKDE() == Self.held)
    #expect(portal.questions == 0)
    let listed = try #require(portal.arguments["ListShortcuts"])
    #expect(listed[0]?.string == FakePortal.handle)
  }

  @Test(arguments: [FakePortal.Answer.granted, .failed, .error, .nonsense, .silence])
  func `what KDE does not remember is asked for`(_ answer: FakePortal.Answer) async throws {
    portal.remembered = FakePortal.list("another", trigger: "Meta+V")
    portal.answers["ListShortcuts"] = answer
    try await portal.start()
    let limits = answer == .silence ? PortalShortcut.Limits.short(for: "ListShortcuts") : .patient
    #expect(try await startOnKDE(limits) == Self.held)
    #expect(portal.questions == 1)
  }

  @Test func `a grant that is not listed is one`() async throws {
    portal.answers["BindShortcuts"] = .grantedUnsaid
    try await portal.start()
    #expect(try await start() == .held(by: .portal, name: nil))
    portal.activate()
    try await pump("the press") { told.presses.count == 1 }
  }

  @Test func `a grant in GNOME's words is one`() async throws {
    portal.answers["BindShortcuts"] = .grantedOtherwise
    portal.granted = FakePortal.list("toggle-history", trigger: "Press <Control><Super>v")
    try await portal.start()
    #expect(try await start() == .held(by: .portal, name: "Ctrl+Super+V"))
  }

  @Test func `says first which program it is if that is wanted`() async throws {
    portal.knowsRegistry = true
    try await portal.start()
    #expect(try await start() == Self.held)
    #expect(portal.calls.first == "Register")
    #expect(portal.arguments["Register"]?[0]?.string == CopyPasta.id)
  }

  @Test func `a press is told of with its token`() async throws {
    try await portal.start()
    #expect(try await start() == Self.held)
    portal.activate(session: Portal.path + "/session/1_1/other")
    portal.activate(shortcut: "other")
    portal.emit("Activated", [.string("nonsense")])
    portal.activate()
    portal.activate(options: ["activation_token": .string("abc")])
    portal.activate(options: ["activation_token": .int32(5)])
    try await pump("the presses") { told.presses.count == 3 }
    #expect(told.presses == [.ambient, .token("abc"), .ambient])
  }

  @Test func `another name of the keys is told`() async throws {
    portal.granted = FakePortal.list("toggle-history", trigger: "")
    try await portal.start()
    #expect(try await start() == .held(by: .portal, name: nil))
    portal.emit(
      "ShortcutsChanged",
      [portal.path(FakePortal.handle), FakePortal.list("toggle-history", trigger: "Meta+V")])
    try await pump("the change") { told.states == [.held(by: .portal, name: "Meta+V")] }
  }

  @Test(arguments: ["Meta+V", ""])
  func `a shortcut that is removed in the desktop's settings is held no more, until it is back`(
    _ trigger: String
  ) async throws {
    portal.granted = FakePortal.list("toggle-history", trigger: trigger)
    try await portal.start()
    let held = ShortcutState.held(by: .portal, name: trigger.isEmpty ? nil : trigger)
    #expect(try await start() == held)
    portal.emit(
      "ShortcutsChanged", [portal.path(FakePortal.handle), FakePortal.list("another", trigger: "Meta+V")])
    try await pump("the loss") { told.states == [.notHeld(.removed)] }
    portal.emit("ShortcutsChanged", [portal.path(FakePortal.handle), portal.granted])
    try await pump("the return") { told.states == [.notHeld(.removed), held] }
  }

  /// As KDE says it.
  @Test func `a shortcut whose keys are taken away is held no more`() async throws {
    try await portal.start()
    #expect(try await start() == Self.held)
    portal.emit(
      "ShortcutsChanged", [portal.path(FakePortal.handle), FakePortal.list("toggle-history", trigger: "")])
    try await pump("the loss") { told.states == [.notHeld(.removed)] }
  }

  @Test(arguments: [
    "Press <Control><Super>v or <Alt>F3", "Press <Control><Super>v, <Alt>F3", "<Control><Super>v;<Alt>F3",
  ])
  func `two keys in GNOME's words are read`(_ words: String) async throws {
    portal.granted = FakePortal.list("toggle-history", trigger: words)
    try await portal.start()
    #expect(try await start() == .held(by: .portal, name: "Ctrl+Super+V or Alt+F3"))
  }

  @Test func `stopping closes the session`() async throws {
    try await portal.start()
    #expect(try await start() == Self.held)
    try await pumping { await shortcut.stop() }
    try await portal.settle()
    #expect(portal.calls.contains("Session.Close"))
    portal.activate()
    portal.closeSession()
    try await portal.settle()
    #expect(told.presses == [])
    #expect(told.states == [])
    #expect(try await start(nil, Accelerator("<Alt>F1")) == Self.held)
  }

  // MARK: Those that do not

  @Test(arguments: [
    ("CreateSession", FakePortal.Answer.refused, ShortcutState.Reason.refused),
    ("CreateSession", .failed, .unsupported), ("CreateSession", .silence, .unsupported),
    ("CreateSession", .error, .unsupported), ("CreateSession", .nonsense, .unsupported),
    ("CreateSession", .notAllowed, .notInstalled),
    ("BindShortcuts", .refused, .refused), ("BindShortcuts", .error, .unsupported),
    // So GNOME tells of a user's no, too.
    ("BindShortcuts", .failed, .refused), ("BindShortcuts", .nonsense, .refused),
  ])
  func `whatever it does, an answer comes`(
    method: String, answer: FakePortal.Answer, reason: ShortcutState.Reason
  ) async throws {
    portal.answers[method] = answer
    try await portal.start()
    let limits = answer == .silence ? PortalShortcut.Limits.short(for: method) : .patient
    let shortcut = makeShortcut(limits)
    #expect(try await start(shortcut) == .notHeld(reason))
    try await portal.settle()
    // What it asks the user for, and what it has opened, is taken back.
    #expect(portal.calls.contains("Request.Close") == (answer == .silence))
    #expect(portal.calls.contains("Session.Close") == (method == "BindShortcuts"))
  }

  @Test func `a grant without our shortcut is a refusal`() async throws {
    portal.granted = FakePortal.list("another", trigger: "Meta+V")
    try await portal.start()
    #expect(try await start() == .notHeld(.refused))
  }

  @Test func `no bus and no portal are said`() async throws {
    #expect(try await start() == .notHeld(.unsupported))
    let busless = PortalShortcut(limits: .patient) { () throws(BusError) in
      throw .noBus("none")
    }
    #expect(try await start(busless) == .notHeld(.unsupported))
  }

  @Test func `giving up takes the question back`() async throws {
    portal.answers["BindShortcuts"] = .silence
    try await portal.start()
    let patient = makeShortcut()
    let asking = Task { await patient.start(keys) }
    try await pump("the question") { portal.questions == 1 }
    asking.cancel()
    #expect(try await pumping { await asking.value } == .notHeld(.unsupported))
    try await portal.settle()
    #expect(portal.calls.contains("Request.Close") && portal.calls.contains("Session.Close"))
  }

  // MARK: Answers as today's desktops give them

  @Test func `a yes that lists nothing is asked about once more, in a session of its own`()
    async throws
  {
    portal.nextAnswers["BindShortcuts"] = [.grantedEmpty]
    try await portal.start()
    #expect(try await start() == Self.held)
    #expect(portal.questions == 2)
  }

  @Test func `a yes that lists nothing the second time, too, is a yes`() async throws {
    portal.answers["BindShortcuts"] = .grantedEmpty
    try await portal.start()
    #expect(try await start() == .held(by: .portal, name: nil))
    #expect(portal.questions == 2)
    portal.activate()
    try await pump("the press") { told.presses.count == 1 }
  }

  @Test func `a list that comes as a signal, before an empty answer, is the list`() async throws {
    portal.answers["BindShortcuts"] = .grantedEmpty
    portal.beforeAnswering["BindShortcuts"] = { [portal] in
      portal.emit("ShortcutsChanged", [portal.path(FakePortal.handle), portal.granted])
    }
    try await portal.start()
    #expect(try await start() == Self.held)
    #expect(portal.questions == 1)
  }

  @Test func `a user who takes their time is waited for`() async throws {
    portal.answers["BindShortcuts"] = .silence
    try await portal.start()
    let patient = makeShortcut(.short(for: "ListShortcuts"))
    let asking = Task { await patient.start(keys) }
    try await pump("the question") { portal.questions == 1 }
    let question = try #require(portal.requests.last)
    // Another shortcut gets no answer where nobody is asked, and gives up after the same time.
    portal.answers["CreateSession"] = .silence
    #expect(try await start(makeShortcut(.short(for: "ListShortcuts"))) == .notHeld(.unsupported))
    portal.respond(to: question, [.uint32(0), .dictionary(["shortcuts": portal.granted])])
    #expect(try await pumping { await asking.value } == Self.held)
  }

  @Test func `a portal that ends with its question on the screen is not waited for`() async throws {
    portal.answers["BindShortcuts"] = .silence
    try await portal.start()
    let asking = Task { [shortcut] in await shortcut.start(keys) }
    try await pump("the question") { portal.questions == 1 }
    portal.stop()
    #expect(try await pumping { await asking.value } == .notHeld(.unsupported))
    portal.answers = [:]
    try await portal.start()
    try await pump("the shortcut, by the next one") { told.states.last == Self.held }
  }

  @Test func `what KDE remembers is bound where that asks nobody`() async throws {
    portal.remembered = portal.granted
    portal.version = 2
    try await portal.start()
    #expect(try await startOnKDE() == Self.held)
    #expect(portal.questions == 1)
  }

  @Test(arguments: ["", "Meta+B"])
  func `after a no KDE's settings have the last word`(_ trigger: String) async throws {
    let folder = try TemporaryFolder()
    let refused = KeyFile(path: folder.path + "/shortcut.ini", group: "refused-shortcut")
    try refused.write(strings: [("keys", keys.name)])
    // What the user refused is there, without keys, until they set some.
    portal.remembered = FakePortal.list("toggle-history", trigger: trigger)
    portal.granted = portal.remembered ?? portal.granted
    portal.version = 2
    try await portal.start()
    let kde = makeShortcut(refused: refused, remembers: true)
    let state = try await pumping { await kde.start(keys) }
    #expect(state == (trigger.isEmpty ? .notHeld(.refused) : .held(by: .portal, name: trigger)))
    #expect((portal.questions > 0) == !trigger.isEmpty)
    #expect(refused.exists == trigger.isEmpty)
  }

  @Test func `keys that are chosen once more are asked for once more`() async throws {
    let folder = try TemporaryFolder()
    let refused = KeyFile(path: folder.path + "/shortcut.ini", group: "refused-shortcut")
    let preferences = Preferences(schema: nil)
    let asked = makeShortcut(refused: refused)
    let controller = GlobalShortcutController(preferences, backends: [asked])
    portal.answers["BindShortcuts"] = .refused
    try await portal.start()
    controller.start()
    try await pump("the no") { controller.state == .notHeld(.refused) }
    portal.answers = [:]
    controller.askAgain()
    try await pump("the yes") { controller.state == Self.held }
  }

  // MARK: Sessions that are lost

  @Test func `a portal that comes later or again is asked again`() async throws {
    // What is asked of it as it goes is never answered.
    var limits = PortalShortcut.Limits.patient
    limits.answer = .seconds(1)
    limits.pauses = Array(repeating: .milliseconds(100), count: 1200)
    let shortcut = makeShortcut(limits)
    told.follow(shortcut)
    #expect(try await start(shortcut) == .notHeld(.unsupported))
    try await portal.start()
    try await pump("the shortcut") { told.states.last == Self.held }
    portal.stop()
    try await pump("its loss") { told.states.last == .starting }
    try await portal.start()
    try await pump("the shortcut again") { told.states.last == Self.held }
    portal.activate()
    try await pump("the press") { told.presses.count == 1 }
  }

  @Test func `a closed session is opened again`() async throws {
    try await portal.start()
    #expect(try await start() == Self.held)
    portal.closeSession()
    try await pump("the shortcut again") { told.states == [.starting, Self.held] }
    portal.activate()
    try await pump("the press") { told.presses.count == 1 }
  }

  @Test func `a portal that ends every session is left alone`() async throws {
    try await portal.start()
    #expect(try await start() == Self.held)
    let token = shortcut.observers.add { [portal] in
      if case .became(Self.held) = $0 { portal.closeSession() }
    }
    portal.closeSession()
    try await pump("the end") { told.states.last == .notHeld(.unsupported) }
    #expect(portal.calls.count { $0 == "CreateSession" } == 1 + PortalShortcut.Limits.patient.losses)
    withExtendedLifetime(token) {}
  }

  @Test func `keys that are changed while a lost session is waited for are not the last to be mended`()
    async throws
  {
    try await portal.start()
    let limits = PortalShortcut.Limits(
      answer: .seconds(60), pauses: [.seconds(600)])
    let waiting = makeShortcut(limits)
    told.follow(waiting)
    #expect(try await start(waiting) == Self.held)
    portal.closeSession()
    try await pump("the loss") { told.states == [.starting] }
    // The user chooses other keys meanwhile.
    try await pumping { await waiting.stop() }
    #expect(try await start(waiting) == Self.held)
    portal.closeSession()
    try await pump("the second loss") { told.states == [.starting, .starting] }
    try await pumping { await waiting.stop() }
  }

  @Test func `an attempt that fails is followed by the next, however long the waits are`() async throws {
    let limits = PortalShortcut.Limits(
      answer: .seconds(60), pauses: Array(repeating: .milliseconds(20), count: 50))
    let patient = makeShortcut(limits)
    told.follow(patient)
    try await portal.start()
    #expect(try await start(patient) == Self.held)
    portal.answers["CreateSession"] = .failed
    portal.closeSession()
    try await pump("three attempts") { portal.calls.count { $0 == "CreateSession" } > 3 }
    portal.answers = [:]
    try await pump("the shortcut again") { told.states.last == Self.held }
    #expect(told.states == [.starting, Self.held])
  }

  @Test func `a refusal is not asked for again by itself`() async throws {
    portal.answers["BindShortcuts"] = .refused
    try await portal.start()
    #expect(try await start() == .notHeld(.refused))
    portal.stop()
    try await portal.start()
    try await portal.settle()
    #expect(portal.calls.count { $0 == "CreateSession" } == 1)
    #expect(told.states == [])
  }

  @Test func `the user's no is kept over a restart, and for these keys only`() async throws {
    let folder = try TemporaryFolder()
    let refused = KeyFile(path: folder.path + "/state/shortcut.ini", group: "refused-shortcut")
    let (no, other) = (try #require(Accelerator("<Super>v")), try #require(Accelerator("<Alt>F1")))
    func start(_ keys: Accelerator, _ answer: FakePortal.Answer) async throws -> ShortcutState {
      portal.answers["BindShortcuts"] = answer
      return try await self.start(makeShortcut(refused: refused), keys)
    }
    try await portal.start()
    #expect(try await start(no, .refused) == .notHeld(.refused))
    #expect(refused.string("keys") == no.name)
    // What is taken back from the last one may come late.
    let asked = portal.calls.count { $0 == "CreateSession" }
    #expect(try await start(no, .granted) == .notHeld(.refused))
    #expect(portal.calls.count { $0 == "CreateSession" } == asked)
    #expect(try await start(other, .granted) == Self.held)
    #expect(try await start(no, .granted) == Self.held)
  }

  @Test func `nothing is left once it is gone`() async throws {
    try await portal.start()
    weak var leaked: PortalShortcut?
    func use() async throws {
      let shortcut = makeShortcut()
      leaked = shortcut
      #expect(try await start(shortcut) == Self.held)
    }
    try await use()
    try await pump("its end") { leaked == nil }
  }

  // MARK: Tools

  private func makeShortcut(
    _ limits: PortalShortcut.Limits = .patient, refused: KeyFile? = nil,
    remembers: Bool = false
  ) -> PortalShortcut {
    PortalShortcut(limits: limits, refused: refused, remembers: remembers) { [portal] in portal.client }
  }

  /// Starts a shortcut, `shortcut` if none is given.
  private func start(
    _ other: PortalShortcut? = nil, _ keys: Accelerator? = nil
  ) async throws -> ShortcutState {
    let (shortcut, keys) = (other ?? shortcut, keys ?? self.keys)
    return try await pumping { await shortcut.start(keys) }
  }

  private func startOnKDE(_ limits: PortalShortcut.Limits = .patient) async throws -> ShortcutState {
    try await start(makeShortcut(limits, remembers: true))
  }
}

/// What a shortcut has told.
@MainActor
private final class Told {
  var presses: [Activation] = []
  var states: [ShortcutState] = []
  private var tokens: [ListenerToken] = []

  func follow(_ shortcut: PortalShortcut) {
    tokens.append(
      shortcut.observers.add { [weak self] in
        switch $0 {
        case .pressed(let activation): self?.presses.append(activation)
        case .became(let state): self?.states.append(state)
        }
      })
  }
}

extension PortalShortcut.Limits {
  /// No machine is so slow.
  fileprivate static let patient = PortalShortcut.Limits(
    answer: .seconds(60), pauses: [.milliseconds(10), .milliseconds(500)])

  /// Short for what the portal is silent about, and for nothing else.
  fileprivate static func short(for method: String) -> PortalShortcut.Limits {
    var limits = patient
    if method == "CreateSession" { limits.answer = .milliseconds(500) }
    // Others, that are answered, have to be within it, too.
    if method == "ListShortcuts" { limits.answer = .seconds(3) }
    return limits
  }
}
