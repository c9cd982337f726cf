import GtkKit
import GtkTestSupport
import TestSupport
import Testing

@testable import CopyPastaApp

/// Shortcuts from portals that behave well or misbehave.
@MainActor @Suite(.tags(.survivesOthers)) struct PortalShortcutTests {
  private let portal: FakePortal
  private let shortcut: PortalShortcut
  private let reports = Reports()
  private let keys: Accelerator
  private static let held = ShortcutState.held(by: .portal, name: "Ctrl+Meta+V")

  init() async throws {
    let portal = try await FakePortal()
    self.portal = portal
    keys = try #require(Accelerator("<Control><Super>v"))
    shortcut = PortalShortcut(answeringWithin: Self.patient) { portal.client }
    reports.follow(shortcut)
  }

  // MARK: A portal that behaves well

  @Test func `the program registers its id first, and asks for the keys in the settings`() async throws {
    portal.knowsRegistry = true
    try await expectHeld(keys: Accelerator("<Control><Shift><Super>v"))
    #expect(portal.calls.first == "Register")
    #expect(portal.arguments["Register"]?[0]?.string == CopyPasta.id)
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

  /// KDE 5.27 grants the keys with the session.
  ///
  /// KDE 6.3 opens System Settings if remembered keys are requested again. Later versions require a request but show
  /// no dialog.
  ///
  /// xdg-desktop-portal before 1.21 reports version 1 for every backend.
  @Test(
    arguments: [
      (true, nil, nil, 0), (false, nil, nil, 0), (false, nil, 1, 0), (false, 2, nil, 1), (false, 1, 2, 1),
    ] as [(Bool, UInt32?, UInt32?, Int)])
  func
    `shortcut keys that KDE has granted or remembers are requested again only if the request shows no dialog`(
      grantsAtOnce: Bool, version: UInt32?, backendVersion: UInt32?, requests: Int
    ) async throws
  {
    portal.grantsAtOnce = grantsAtOnce
    portal.version = version
    portal.backendVersion = backendVersion
    portal.remembered = portal.granted
    try await expectHeld(makeShortcut(remembers: true))
    #expect(portal.bindRequests == requests)
  }

  @Test(arguments: [FakePortal.Answer.granted, .failed])
  func `shortcut keys that KDE does not remember are requested`(_ answer: FakePortal.Answer) async throws {
    portal.remembered = FakePortal.list("another", trigger: "Meta+V")
    portal.answers["ListShortcuts"] = answer
    try await expectHeld(makeShortcut(remembers: true))
    #expect(portal.bindRequests == 1)
  }

  /// After an empty grant the shortcut is requested once more, in a new session.
  @Test(
    arguments: [
      (.grantedUnsaid, "Meta+V", "Meta+V"), (.grantedEmpty, "Meta+V", "Meta+V"),
      (.grantedOtherwise, "Press <Control><Super>v", "Ctrl+Super+V"),
      (.granted, "Press <Control><Super>v or <Alt>F3", "Ctrl+Super+V or Alt+F3"),
      (.granted, "Press <Control><Super>v, <Alt>F3", "Ctrl+Super+V or Alt+F3"),
      (.granted, "<Control><Super>v;<Alt>F3", "Ctrl+Super+V or Alt+F3"),
    ] as [(FakePortal.Answer, String, String)])
  func `a portal's grant is accepted in every known format`(
    answer: FakePortal.Answer, words: String, name: String
  ) async throws {
    portal.answers["BindShortcuts"] = answer
    portal.granted = FakePortal.list("toggle-history", trigger: words)
    portal.beforeAnswering["BindShortcuts"] = { [portal] in portal.remembered = portal.granted }
    try await expectHeld(as: .held(by: .portal, name: name))
    #expect(portal.bindRequests == (answer == .grantedEmpty ? 2 : 1))
    portal.activate()
    try await pump("the press") { reports.presses.count == 1 }
  }

  /// Hyprland's portal grants every request without binding keys; its users may bind the shortcut themselves.
  @Test(arguments: [FakePortal.Answer.granted, .grantedUnsaid])
  func `the shortcut does not count as held until the desktop names its keys`(
    _ answer: FakePortal.Answer
  ) async throws {
    portal.answers["BindShortcuts"] = answer
    portal.granted = FakePortal.list("toggle-history", trigger: "")
    try await expectHeld(as: .notHeld(.unsupported))
    portal.activate()
    try await pump("the press") { reports.presses.count == 1 }
    portal.change(to: FakePortal.list("toggle-history", trigger: "Meta+B"))
    try await pump("the keys") { reports.states == [.held(by: .portal, name: "Meta+B")] }
  }

  @Test func `the user is not asked again if the desktop names the granted keys in a signal`() async throws {
    portal.answers["BindShortcuts"] = .grantedEmpty
    portal.beforeAnswering["BindShortcuts"] = { [portal] in portal.change(to: portal.granted) }
    try await expectHeld()
    #expect(portal.bindRequests == 1)
  }

  @Test func `a press is reported with its token, and other sessions' signals are ignored`() async throws {
    try await expectHeld()
    portal.activate(session: Portal.path + "/session/1_1/other")
    portal.activate(shortcut: "other")
    portal.emit("Activated", [.string("nonsense")])
    portal.activate()
    portal.activate(options: ["activation_token": .string("abc")])
    portal.activate(options: ["activation_token": .int32(5)])
    try await pump("the presses") { reports.presses.count == 3 }
    #expect(reports.presses == [.ambient, .token("abc"), .ambient])
  }

  /// KDE still lists a shortcut whose keys were removed.
  @Test func `changes to the shortcut in the desktop's settings are reported`() async throws {
    try await expectHeld()
    let changes: [(list: Variant, state: ShortcutState)] = [
      (FakePortal.list("another", trigger: "Meta+V"), .notHeld(.refused)), (portal.granted, Self.held),
      (FakePortal.list("toggle-history", trigger: "Meta+B"), .held(by: .portal, name: "Meta+B")),
      (FakePortal.list("toggle-history", trigger: ""), .notHeld(.refused)),
    ]
    for change in changes { portal.change(to: change.list) }
    try await pump("the changes") { reports.states == changes.map(\.state) }
  }

  @Test func `a stopped portal shortcut closes its session and ignores later signals`() async throws {
    try await expectHeld()
    try await pumping { await shortcut.stop() }
    try await portal.settle()
    #expect(portal.calls.contains("Session.Close"))
    portal.activate()
    portal.closeSession()
    try await portal.settle()
    #expect(reports.presses == [])
    #expect(reports.states == [])
    #expect(try await start(nil, Accelerator("<Alt>F1")) == Self.held)
  }

  // MARK: Portals that misbehave

  @Test(arguments: [
    ("CreateSession", FakePortal.Answer.refused, ShortcutState.Reason.refused),
    ("CreateSession", .failed, .unsupported), ("CreateSession", .silence, .unsupported),
    ("CreateSession", .error, .unsupported), ("CreateSession", .nonsense, .unsupported),
    ("CreateSession", .notAllowed, .unsupported),
    ("BindShortcuts", .refused, .refused), ("BindShortcuts", .error, .unsupported),
    // GNOME reports a user's refusal like this as well.
    ("BindShortcuts", .failed, .refused), ("BindShortcuts", .nonsense, .refused),
    // A grant without CopyPasta's shortcut.
    ("BindShortcuts", .granted, .refused),
  ])
  func `every portal failure is reported with its reason`(
    method: String, answer: FakePortal.Answer, reason: ShortcutState.Reason
  ) async throws {
    portal.answers[method] = answer
    portal.granted = FakePortal.list("another", trigger: "Meta+V")
    try await expectHeld(
      makeShortcut(answer == .silence ? Self.short(for: method) : Self.patient), as: .notHeld(reason))
    try await portal.settle()
    // A pending request and an open session are closed.
    #expect(portal.calls.contains("Request.Close") == (answer == .silence))
    #expect(portal.calls.contains("Session.Close") == (method == "BindShortcuts"))
  }

  /// A portal may have answered before it gets the call that closes the request.
  @Test(arguments: [("CreateSession", 0), ("ListShortcuts", 1), ("BindShortcuts", 2)])
  func `a portal's late answer is ignored`(method: String, number: Int) async throws {
    let shortcut = makeShortcut(Self.short(for: method), remembers: true)
    reports.follow(shortcut)
    let isHeld = method == "ListShortcuts"
    for method in isHeld ? [method, "BindShortcuts"] : [method] { portal.answers[method] = .silence }
    try await portal.start()
    let asking = Task { [keys] in await shortcut.start(keys) }
    try await pump("the request") { portal.requests.count > number }
    let request = portal.requests[number]
    if method == "BindShortcuts" { asking.cancel() }
    let other = FakePortal.list("toggle-history", trigger: "Meta+L")
    let late: [Variant] = [
      .uint32(0), .dictionary(["session_handle": .string(FakePortal.handle), "shortcuts": other]),
    ]
    if isHeld {
      // The late answer comes while the next request is pending.
      try await pump("the next request") { portal.requests.count == 3 }
      portal.respond(to: request, late)
      portal.respond(to: portal.requests[2], [.uint32(0), .dictionary(["shortcuts": portal.granted])])
    }
    let state = try await pumping { await asking.value }
    #expect(state == (isHeld ? Self.held : .notHeld(.unsupported)))
    portal.respond(to: request, late)
    portal.activate()
    try await portal.settle()
    #expect(reports.presses.count == (isHeld ? 1 : 0) && reports.states == [])
    // A cancelled request closes the portal's dialog and session.
    #expect(portal.calls.contains("Request.Close"))
    #expect(portal.calls.contains("Session.Close") == (method == "BindShortcuts"))
  }

  @Test func `a missing bus is reported as unsupported`() async throws {
    let busless = PortalShortcut { () throws(BusError) in
      throw .noBus("none")
    }
    #expect(try await start(busless) == .notHeld(.unsupported))
  }

  @Test func `a portal shortcut waits for the user's answer without a time limit`() async throws {
    let asking = try await ask(makeShortcut(Self.short(for: "ListShortcuts")))
    let question = try #require(portal.requests.last)
    // Wait until the time limit has passed: start a second shortcut, whose call shows no dialog and times out.
    portal.answers["CreateSession"] = .silence
    #expect(try await start(makeShortcut(Self.short(for: "ListShortcuts"))) == .notHeld(.unsupported))
    portal.respond(to: question, [.uint32(0), .dictionary(["shortcuts": portal.granted])])
    #expect(try await pumping { await asking.value } == Self.held)
  }

  @Test func `a portal shortcut stops waiting for the user's answer if the portal exits`() async throws {
    let asking = try await ask(shortcut)
    portal.stop()
    #expect(try await pumping { await asking.value } == .notHeld(.unsupported))
  }

  // MARK: Lost sessions

  @Test func `a portal that appears later or restarts can be asked again`() async throws {
    // Limit the wait, because a call sent while the portal exits is never answered.
    let shortcut = makeShortcut(.seconds(1))
    reports.follow(shortcut)
    #expect(try await start(shortcut) == .notHeld(.unsupported))
    for losses in [1, 3] {
      try await portal.start()
      try await pump("the portal noticed") { reports.losses == losses }
      try await pumping { await shortcut.stop() }
      #expect(try await start(shortcut) == Self.held)
      portal.stop()
      try await pump("the shortcut lost") { reports.losses == losses + 1 }
      try await pumping { await shortcut.stop() }
      #expect(try await start(shortcut) == .notHeld(.unsupported))
    }
  }

  @Test func `a closed session is replaced once, and again after a press`() async throws {
    try await expectHeld()
    for isPressed in [true, false] {
      portal.closeSession()
      try await pump("the shortcut lost") { reports.losses > 0 }
      try await pumping { await shortcut.stop() }
      #expect(try await start() == Self.held)
      guard isPressed else { continue }
      portal.activate()
      try await pump("the press") { reports.presses.count == 1 }
      reports.losses = 0
    }
    portal.closeSession()
    try await pump("the shortcut given up") { reports.states.last == .notHeld(.unsupported) }
    #expect(reports.losses == 1)
  }

  // MARK: Helpers

  /// A limit that even a slow machine does not reach.
  private static let patient = Duration.seconds(60)

  /// A limit that is short only for the method that the portal does not answer.
  private static func short(for method: String) -> Duration {
    switch method {
    case "CreateSession": .milliseconds(500)
    // The limit also applies to methods that are answered, so it must be long enough for them.
    case "ListShortcuts": .seconds(5)
    default: patient
    }
  }

  private func makeShortcut(_ limit: Duration = patient, remembers: Bool = false) -> PortalShortcut {
    PortalShortcut(answeringWithin: limit, remembers: remembers) { [portal] in portal.client }
  }

  /// Starts `other`, or `shortcut` by default.
  private func start(
    _ other: PortalShortcut? = nil, _ keys: Accelerator? = nil
  ) async throws -> ShortcutState {
    let (shortcut, keys) = (other ?? shortcut, keys ?? self.keys)
    return try await pumping { await shortcut.start(keys) }
  }

  /// Starts the portal and then a shortcut, and expects the shortcut to reach `state`.
  private func expectHeld(
    _ other: PortalShortcut? = nil, as state: ShortcutState = held, keys: Accelerator? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await portal.start()
    #expect(try await start(other, keys) == state, sourceLocation: sourceLocation)
  }

  /// Starts the portal and then a shortcut, and returns while the portal asks the user.
  private func ask(_ shortcut: PortalShortcut) async throws -> Task<ShortcutState, Never> {
    portal.answers["BindShortcuts"] = .silence
    try await portal.start()
    let asking = Task { [keys] in await shortcut.start(keys) }
    try await pump("the request") { portal.bindRequests == 1 }
    return asking
  }
}

/// The events that a shortcut has reported.
@MainActor
private final class Reports {
  var presses: [Activation] = []
  var states: [ShortcutState] = []
  var losses = 0
  private var tokens: [ListenerToken] = []

  func follow(_ shortcut: PortalShortcut) {
    tokens.append(
      shortcut.observers.add { [weak self] in
        switch $0 {
        case .pressed(let activation): self?.presses.append(activation)
        case .became(let state): self?.states.append(state)
        case .lost: self?.losses += 1
        }
      })
  }
}
