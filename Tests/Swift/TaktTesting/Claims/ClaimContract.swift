import TaktCore
import TaktTime

/// A promise of every engine of claims, as a clause that any engine can be checked against.
package struct ClaimContract: Sendable {
  package let name: String
  private let clause: @Sendable (ClaimScene) throws -> Void

  init(_ name: String, _ clause: @escaping @Sendable (ClaimScene) throws -> Void) {
    self.name = name
    self.clause = clause
  }

  /// A clause about a machine that has joined.
  static func ofOne(
    _ name: String, _ clause: @escaping @Sendable (ClaimScene, MemberID) throws -> Void
  ) -> Self {
    Self(name) { scene in try clause(scene, scene.join()) }
  }

  /// A clause about two machines that have joined.
  static func ofTwo(
    _ name: String, _ clause: @escaping @Sendable (ClaimScene, MemberID, MemberID) throws -> Void
  ) -> Self {
    Self(name) { scene in try clause(scene, scene.join(), scene.join("two")) }
  }

  /// - Throws: `ClaimViolation` for the first broken promise.
  package func check(on engine: any ClaimTestEngine) throws {
    try clause(ClaimScene(engine))
  }

  package static let clauses =
    [owners, repeats, leases, rests, overlaps, waiting, bounds, schedules, decisions, texts]
    .flatMap(\.self)
}

/// A cluster with one job, `a`, whose slots are a fifth of a second apart.
final class ClaimScene {
  static let lease = Duration.seconds(15)
  static let grace = Duration.seconds(5)

  let engine: any ClaimTestEngine
  let job = ClaimScene.name("a")
  let schedule: UInt64 = 0xfeed_0000_0000_0001
  var lastNumber: UInt64 = 0

  init(_ engine: any ClaimTestEngine) { self.engine = engine }

  static func name(_ text: String) -> JobName {
    // The clauses' own names are valid.
    guard let name = JobName(text) else { preconditionFailure("'\(text)' is no job's name") }
    return name
  }

  /// The slot this many before the newest one that is due.
  func slot(_ count: Int) -> WallInstant {
    WallInstant(milliseconds: start.milliseconds / 200 * 200 - Int64(count) * 200)
  }

  private lazy var start = engine.now

  // MARK: Batches

  @discardableResult
  func send(
    _ member: MemberID?, facts: MemberFacts? = nil, leaves: Bool = false,
    _ requests: [ClaimRequest] = []
  ) throws -> ClaimReply {
    lastNumber += 1
    _ = start
    let reply = try engine.perform(
      ClaimBatch(
        number: lastNumber, member: member, facts: facts, leaves: leaves, requests: requests))
    try equal(reply.number, lastNumber, "the reply's number")
    try equal(reply.wall, engine.now, "the reply's clock")
    if reply.member != nil { try equal(reply.answers.count, requests.count, "answers") }
    try equal(reply.news != nil, facts != nil && reply.member != nil, "the news are there")
    return reply
  }

  func facts(_ machine: String = "one", lease: Duration = lease) -> MemberFacts {
    MemberFacts(
      machine: machine, host: "host of \(machine)", version: "1", labels: ["site": machine],
      lease: lease, grace: Self.grace)
  }

  /// A new member that has the job.
  func join(_ machine: String = "one", _ jobs: JobName...) throws -> MemberID {
    let reply = try send(
      nil, facts: facts(machine),
      ([job] + jobs).map { .declare($0, schedule: schedule, isChanged: false) })
    for answer in reply.answers { try equal(answer, .done, "declare") }
    return try unwrap(reply.member, "the new member")
  }

  /// Sends one request, and expects its member to be alive.
  @discardableResult
  func ask(_ member: MemberID, _ request: ClaimRequest) throws -> ClaimAnswer {
    let reply = try send(member, [request])
    try equal(reply.member, member, "the member")
    return reply.answers[0]
  }

  func renew(_ member: MemberID, _ machine: String = "one") throws -> ClusterNews {
    let reply = try send(member, facts: facts(machine))
    try equal(reply.member, member, "the member")
    return try unwrap(reply.news, "the news")
  }

  /// Lets the leases of all members except these end, and the grace too.
  func lose(all but: MemberID...) throws {
    for _ in 0..<5 {
      try engine.pass(.seconds(5))
      for member in but { _ = try renew(member) }
    }
  }

  // MARK: Claims

  func wish(
    _ slot: WallInstant, of name: JobName? = nil, _ change: (inout SlotClaim) -> Void = { _ in }
  ) -> SlotClaim {
    var claim = SlotClaim(
      job: name ?? job, slot: slot, schedule: schedule, overlap: .allow,
      validUntil: engine.now + .seconds(3600))
    change(&claim)
    return claim
  }

  func claim(_ member: MemberID, _ claim: SlotClaim) throws -> ClaimAnswer {
    try ask(member, .claim(claim))
  }

  func grant(
    _ member: MemberID, _ claim: SlotClaim, attempt: Int = 1
  ) throws -> ClaimToken {
    let answer = try ask(member, .claim(claim))
    guard case .granted(let token, attempt) = answer else {
      throw ClaimViolation(description: "granted(_, attempt: \(attempt)) expected, \(answer) came")
    }
    return token
  }

  // MARK: Expectations

  func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) throws {
    guard found != expected else { return }
    throw ClaimViolation(description: "\(what): \(expected) expected, \(found) came")
  }

  func isTrue(_ condition: Bool, _ what: String) throws {
    if !condition { throw ClaimViolation(description: "\(what) expected") }
  }

  func unwrap<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw ClaimViolation(description: "\(what) expected, nothing came") }
    return value
  }
}
