package import TaktCore
import TaktTime

/// An engine that can be taken back to an earlier state.
package protocol RewindableTestEngine: ClaimTestEngine {
  func keepPlace() throws
  func goBack() throws
  /// Its row for each slot, in the words of `EngineReplay.rows`; members and tokens as they are.
  func rows() throws -> [EngineReplay.Row]
}

/// Repeats on another engine all requests of an explorer to the rules in memory, each batch in each
/// state, and compares answers and rows.
package struct EngineReplay {
  /// The record of a slot in an engine.
  package struct Row: Hashable, Sendable, CustomStringConvertible {
    package var job: String
    package var slot: Int64
    /// `claimed`, `open`, or the verdict.
    package var state: String
    package var attempt: Int
    package var token: ClaimToken?
    package var isReplaced: Bool

    package init(
      job: String, slot: Int64, state: String, attempt: Int, token: ClaimToken?, isReplaced: Bool
    ) {
      self.job = job
      self.slot = slot
      self.state = state
      self.attempt = attempt
      self.token = token
      self.isReplaced = isReplaced
    }

    package var description: String {
      "\(job) \(slot) \(state) \(attempt) \(token.map { "\($0.number)" } ?? "-") \(isReplaced)"
    }
  }

  /// The other engine's members and tokens, by those of the rules.
  private struct Names {
    var members: [MemberID: MemberID] = [:]
    var tokens: [ClaimToken: ClaimToken] = [:]
  }

  private let engine: any RewindableTestEngine
  package private(set) var count = 0

  package init(on engine: any RewindableTestEngine) { self.engine = engine }

  /// - Throws: `ClaimViolation` for the first difference, with the batches that lead there.
  package mutating func run(_ tree: EngineTree) throws {
    try run(tree, MemoryEngine(), Names(), [])
  }

  private mutating func run(
    _ tree: EngineTree, _ rules: MemoryEngine, _ names: Names, _ path: [EngineTree.Request]
  ) throws {
    for (request, tree) in tree.ordered {
      var (rules, names) = (rules, names)
      let wanted = rules.perform(request.batch, at: request.at)
      try engine.keepPlace()
      try engine.start(at: request.at)
      let answer = try engine.perform(Self.translated(request.batch, names))
      Self.learn(&names, wanted, answer)
      let reply = Self.renamed(answer, names)
      let rows = Self.renamed(try engine.rows(), names)
      var expected = wanted
      expected.news?.era = nil
      guard reply == expected, rows == Self.rows(of: rules) else {
        throw ClaimViolation(
          description: (path + [request]).map { "\($0.at) \($0.batch)" }.joined(separator: "\n")
            + "\nin memory \(expected)\n\(Self.rows(of: rules))\nhere \(reply)\n\(rows)")
      }
      count += 1
      try run(tree, rules, names, path + [request])
      try engine.goBack()
    }
  }

  private static func rows(of rules: MemoryEngine) -> [Row] {
    let rows = rules.jobs.flatMap { name, job in
      job.slots.map { instant, slot in
        switch slot.state {
        case .claimed, .open:
          Row(
            job: name.text, slot: instant.milliseconds, state: slot.isClaimed ? "claimed" : "open",
            attempt: slot.attempt, token: slot.isClaimed ? slot.token : nil,
            isReplaced: slot.isClaimed && slot.isReplaced)
        case .decided(let verdict, let outcome, let reason):
          Row(
            job: name.text, slot: instant.milliseconds,
            state: [verdict.name, verdict.detail ?? "", outcome?.rawValue ?? "", reason]
              .joined(separator: " "), attempt: 0, token: nil, isReplaced: false)
        }
      }
    }
    return sorted(rows)
  }

  private static func sorted(_ rows: [Row]) -> [Row] {
    rows.sorted { ($0.job, $0.slot) < ($1.job, $1.slot) }
  }

  private static func renamed(_ rows: [Row], _ names: Names) -> [Row] {
    let tokens = Dictionary(uniqueKeysWithValues: names.tokens.map { ($1, $0) })
    return sorted(
      rows.map { row in
        var row = row
        row.token = row.token.map { tokens[$0] ?? $0 }
        return row
      })
  }

  private static func learn(_ names: inout Names, _ wanted: ClaimReply, _ answer: ClaimReply) {
    if let member = wanted.member, names.members[member] == nil {
      names.members[member] = answer.member
    }
    for (wanted, answer) in zip(wanted.answers, answer.answers) {
      guard case .granted(let token, _) = wanted, case .granted(let own, _) = answer,
        names.tokens[token] == nil
      else { continue }
      names.tokens[token] = own
    }
  }

  private static func renamed(_ answer: ClaimReply, _ names: Names) -> ClaimReply {
    let members = Dictionary(uniqueKeysWithValues: names.members.map { ($1, $0) })
    let tokens = Dictionary(uniqueKeysWithValues: names.tokens.map { ($1, $0) })
    var reply = answer
    reply.member = reply.member.map { members[$0] ?? $0 }
    reply.answers = reply.answers.map {
      guard case .granted(let token, let attempt) = $0 else { return $0 }
      return .granted(tokens[token] ?? token, attempt: attempt)
    }
    if var news = reply.news {
      news.era = nil
      for place in news.members.indices {
        news.members[place].id = members[news.members[place].id] ?? news.members[place].id
      }
      news.replaced = news.replaced.map { tokens[$0] ?? $0 }
      for place in news.held.indices {
        news.held[place].token = tokens[news.held[place].token] ?? news.held[place].token
      }
      reply.news = news
    }
    return reply
  }

  private static func translated(_ batch: ClaimBatch, _ names: Names) -> ClaimBatch {
    func own(_ member: MemberID) -> MemberID { names.members[member] ?? member }
    func own(_ token: ClaimToken) -> ClaimToken { names.tokens[token] ?? token }
    func own(_ claim: SlotClaim) -> SlotClaim {
      var claim = claim
      claim.earlier = claim.earlier.map { own($0) }
      return claim
    }
    var batch = batch
    batch.member = batch.member.map { own($0) }
    batch.requests = batch.requests.map { request in
      switch request {
      case .claim(let claim): .claim(own(claim))
      case .ranUnclaimed(let job, let slot, let earlier):
        .ranUnclaimed(job, slot, earlier: earlier.map { own($0) })
      case .end(let token, let outcome, let reason): .end(own(token), outcome, reason: reason)
      case .restore(var known):
        {
          known.token = own(known.token)
          known.claim = own(known.claim)
          return .restore(known)
        }()
      case .giveBack(let token): .giveBack(own(token))
      case .retire(let member): .retire(own(member))
      case .declare, .ask, .decide, .lastEnd, .suspend: request
      }
    }
    return batch
  }
}
