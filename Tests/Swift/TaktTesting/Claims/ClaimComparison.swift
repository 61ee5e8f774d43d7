import TaktCore
import TaktTime

/// Random batches of three machines, on two engines that must give the same answers.
///
/// Tokens and numbers of members differ between engines: each is compared by its place in their
/// order.
package struct ClaimComparison {
  /// The members and tokens that one engine has granted, in order.
  private struct Given {
    var members: [MemberID] = []
    var tokens: [ClaimToken] = []
    /// The claims of these tokens.
    var claims: [SlotClaim] = []
  }

  private let engines: [any ClaimTestEngine]
  private var given = [Given(), Given()]
  private var random: SplitMix64
  /// Each machine's membership, as its place among all, and those before it.
  private var current: [Int?] = [nil, nil, nil]
  private var earlier: [Int?] = [nil, nil, nil]
  private let jobs = ["a", "B", "c.d", "e_9"].map { ClaimScene.name($0) }
  /// The number of batches by their answer, as a check that the random ones meet all rules.
  package private(set) var counts: [String: Int] = [:]

  package init(_ first: any ClaimTestEngine, _ second: any ClaimTestEngine, seed: UInt64) {
    engines = [first, second]
    random = SplitMix64(seed: seed)
  }

  /// - Throws: `ClaimViolation` for the first difference.
  package mutating func run(batches: Int) throws {
    for number in 1...UInt64(batches) {
      let duration = Duration.milliseconds(Int64.random(in: 0...4000, using: &random))
      for engine in engines { try engine.pass(duration) }
      try failOverSometimes()
      try step(number)
    }
  }

  private mutating func failOverSometimes() throws {
    let copied = engines.compactMap { $0 as? any CopiedTestEngine }
    guard copied.count == engines.count else { return }
    if random.oneIn(12) { for engine in copied { try engine.keepCopy() } }
    if random.oneIn(80) { for engine in copied { try engine.failOver() } }
  }

  private mutating func step(_ number: UInt64) throws {
    let machine = Int.random(in: 0..<3, using: &random)
    let hasFacts = current[machine] == nil || random.oneIn(3)
    let leaves = random.oneIn(40)
    let facts = MemberFacts(
      machine: "m\(machine)", lease: .seconds(10), grace: .seconds(4),
      clockOffset: .milliseconds(Int64(number)))
    let count = Int.random(in: 0...6, using: &random)
    let seeds = (0..<count).map { _ in random.next() }
    var replies: [ClaimReply] = []
    for index in 0..<2 {
      let requests = seeds.map { seed -> ClaimRequest in
        var own = SplitMix64(seed: seed)
        return request(&own, machine, index)
      }
      let batch = ClaimBatch(
        number: number, member: current[machine].map { given[index].members[$0] },
        facts: hasFacts ? facts : nil, leaves: leaves, requests: requests)
      replies.append(normalized(try engines[index].perform(batch), to: requests, index))
    }
    guard replies[0] == replies[1] else {
      throw ClaimViolation(description: "batch \(number):\n  \(replies[0])\nand\n  \(replies[1])")
    }
    for answer in replies[0].answers {
      counts[String("\(answer)".prefix { $0 != "(" }), default: 0] += 1
    }
    let member = replies[0].member.map { Int($0.number) }
    if let old = current[machine], member == nil || leaves { earlier[machine] = old }
    current[machine] = leaves ? nil : member
  }

  private mutating func normalized(
    _ reply: ClaimReply, to requests: [ClaimRequest], _ index: Int
  ) -> ClaimReply {
    var reply = reply
    if let member = reply.member, !given[index].members.contains(member) {
      given[index].members.append(member)
    }
    func place(of member: MemberID) -> MemberID {
      let place = given[index].members.firstIndex(of: member)
      return MemberID(place.map { UInt64($0) } ?? .max)
    }
    for position in reply.answers.indices {
      guard case .granted(let token, let attempt) = reply.answers[position] else { continue }
      if !given[index].tokens.contains(token), case .claim(let claim) = requests[position] {
        given[index].tokens.append(token)
        given[index].claims.append(claim)
      }
      reply.answers[position] = .granted(self.place(of: token, index), attempt: attempt)
    }
    reply.member = reply.member.map(place)
    if var news = reply.news {
      news.era = nil
      for position in news.members.indices {
        news.members[position].id = place(of: news.members[position].id)
      }
      news.replaced = news.replaced.map { self.place(of: $0, index) }
      for position in news.held.indices {
        news.held[position].token = self.place(of: news.held[position].token, index)
      }
      reply.news = news
    }
    return reply
  }

  private func place(of token: ClaimToken, _ index: Int) -> ClaimToken {
    let place = given[index].tokens.firstIndex(of: token)
    return ClaimToken(place.map { UInt64($0) } ?? .max)
  }

  /// The same request for both engines, each with its own tokens and members.
  private func request(
    _ random: inout SplitMix64, _ machine: Int, _ index: Int
  ) -> ClaimRequest {
    let job = jobs[Int.random(in: 0..<jobs.count, using: &random)]
    let now = engines[0].now.milliseconds / 1000
    func slot(_ random: inout SplitMix64) -> WallInstant {
      WallInstant(milliseconds: (now + Int64.random(in: -12...2, using: &random)) * 1000)
    }
    func token(_ random: inout SplitMix64) -> ClaimToken {
      let tokens = given[index].tokens.suffix(8)
      return tokens.randomElement(using: &random) ?? ClaimToken(987_654_321)
    }
    switch Int.random(in: 0..<18, using: &random) {
    case 0...3:
      let schedule: UInt64 = random.oneIn(5) ? 2 : 1
      let data = Int.random(in: 1...2, using: &random)
      let zones = ScheduleZones(digest: UInt64(data), version: "202\(data)a")
      return .declare(
        job, schedule: schedule, isChanged: random.oneIn(5), isNew: random.oneIn(5),
        zones: random.oneIn(4) ? zones : nil,
        rest: job == jobs[1] ? .seconds(Int64(schedule) * 2) : nil)
    case 4...8: return .claim(claim(job, slot(&random), machine, index, &random))
    case 9:
      return .ask(
        job, (0..<5).map { _ in slot(&random) }, schedule: UInt64.random(in: 1...2, using: &random))
    case 10:
      let (first, verdict) = (slot(&random), verdict(&random))
      guard random.oneIn(3) else { return .decide(job, SlotSeries(first), verdict) }
      let count = Int.random(in: 2...3, using: &random)
      return .decide(
        job, SlotSeries(first: first, last: first + .seconds(count - 1), count: count), verdict)
    case 11:
      return .ranUnclaimed(job, slot(&random), earlier: earlierMember(machine, index, &random))
    case 12...13:
      let outcome = Outcome.allCases.randomElement(using: &random) ?? .failed
      return .end(token(&random), outcome, reason: "r\(Int.random(in: 0...1, using: &random))")
    case 14: return .giveBack(token(&random))
    case 16:
      let count = given[index].tokens.count
      guard count > 0 else { return .lastEnd(job) }
      let place = Int.random(in: max(0, count - 8)..<count, using: &random)
      let ending = ClaimEnding(.succeeded, reason: "r\(Int.random(in: 0...1, using: &random))")
      return .restore(
        RememberedClaim(
          token: given[index].tokens[place], attempt: Int.random(in: 1...3, using: &random),
          claim: given[index].claims[place], ending: random.oneIn(2) ? ending : nil))
    case 15: return .lastEnd(random.oneIn(2) ? job : jobs[1])
    default:
      guard random.oneIn(2) else { return .suspend(job, nil) }
      let since = slot(&random)
      return .suspend(
        job,
        Suspension(
          since: since, until: random.oneIn(5) ? nil : since + .seconds(10), reason: "why"))
    }
  }

  private func claim(
    _ job: JobName, _ slot: WallInstant, _ machine: Int, _ index: Int, _ random: inout SplitMix64
  ) -> SlotClaim {
    let group = ["g", "h", nil].randomElement(using: &random) ?? nil
    let earlier = earlierMember(machine, index, &random)
    return SlotClaim(
      job: job, slot: slot, schedule: random.oneIn(5) ? 2 : 1,
      overlap: Overlap.allCases.randomElement(using: &random) ?? .skip, group: group,
      groupMax: random.oneIn(4) ? nil : Int.random(in: 0...3, using: &random),
      limit: random.oneIn(8) ? Int.random(in: 0...9, using: &random) : nil,
      isAtLeastOnce: random.oneIn(2),
      validUntil: slot + .seconds(Int64.random(in: 0...40, using: &random)), earlier: earlier)
  }

  private func earlierMember(
    _ machine: Int, _ index: Int, _ random: inout SplitMix64
  ) -> MemberID? {
    random.oneIn(2) ? earlier[machine].map { given[index].members[$0] } : nil
  }

  private func verdict(_ random: inout SplitMix64) -> Verdict {
    let verdicts: [Verdict] = [
      .missed(.down), .missed(.stalled), .skipped(.overlap), .skipped(.excluded),
      .coalesced(into: WallInstant(milliseconds: 1000)), .cancelled(.removed),
    ]
    return verdicts.randomElement(using: &random) ?? .missed(.down)
  }
}
