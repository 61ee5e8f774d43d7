import FoundationEssentials
import TaktCore
import TaktTime

/// A batch as the JSON that `takt.batch` reads.
struct BatchText: Encodable {
  private struct Facts: Encodable {
    var machine: String
    var host: String
    var version: String
    var labels: [String: String]
    var lease: Int64
    var grace: Int64
    var clockOffset: Int64
    var zoneData: String?
    var api: String?
  }

  private struct Suspended: Encodable {
    var since: Int64
    var until: Int64?
    var reason: String
  }

  private struct Request: Encodable {
    var `do`: String
    var job: String?
    var slot: Int64?
    var slots: [Int64]?
    var schedule: Int64?
    var changed: Bool?
    var new: Bool?
    var zones: Int64?
    var zoneData: String?
    var rest: Int64?
    var overlap: String?
    var does: [String]?
    var group: String?
    var groupMax: Int?
    var limit: Int?
    var atLeastOnce: Bool?
    var validUntil: Int64?
    var earlier: Int64?
    var first: Int64?
    var last: Int64?
    var count: Int?
    var verdict: String?
    var detail: String?
    var token: Int64?
    var attempt: Int?
    var outcome: String?
    var reason: String?
    var suspension: Suspended?
    var member: Int64?
  }

  private var schema = PostgresSchema.version
  private var number: Int64
  private var wait: String
  private var member: Int64?
  private var facts: Facts?
  private var leaves: Bool
  private var requests: [Request]

  /// - Parameter wait: how long the batch may wait for others within the engine.
  static func make(of batch: ClaimBatch, wait: Duration) -> String {
    let bytes = try? JSONEncoder().encode(BatchText(batch, wait: wait))
    // Nothing in it can fail to be encoded; what is no batch is refused by the engine.
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private init(_ batch: ClaimBatch, wait: Duration) {
    number = Self.signed(batch.number)
    self.wait = String(max(1, wait.milliseconds))
    member = batch.member.map { Self.signed($0.number) }
    facts = batch.facts.map { facts in
      Facts(
        machine: Self.stored(facts.machine), host: Self.stored(facts.host),
        version: Self.stored(facts.version),
        labels: Dictionary(
          facts.labels.map { (Self.stored($0.key), Self.stored($0.value)) },
          uniquingKeysWith: { first, _ in first }),
        lease: facts.lease.nanosecondsSaturated, grace: facts.grace.nanosecondsSaturated,
        clockOffset: facts.clockOffset.nanosecondsSaturated,
        zoneData: facts.zoneData.map(Self.stored), api: facts.api.map(Self.stored))
    }
    leaves = batch.leaves
    requests = batch.requests.map(Self.request)
  }

  private static func request(_ request: ClaimRequest) -> Request {
    switch request {
    case .declare(let job, let schedule, let isChanged, let isNew, let zones, let rest):
      Request(
        do: "declare", job: job.text, schedule: Int64(bitPattern: schedule), changed: isChanged,
        new: isNew, zones: zones.map { Int64(bitPattern: $0.digest) },
        zoneData: zones.map { stored($0.version) }, rest: rest?.nanosecondsSaturated)
    case .claim(let claim): self.claim(claim)
    case .restore(let known): restoration(known)
    case .ask(let job, let slots, let schedule):
      Request(
        do: "ask", job: job.text, slots: slots.map(\.milliseconds),
        schedule: Int64(bitPattern: schedule))
    case .lastEnd(let job): Request(do: "lastEnd", job: job.text)
    case .decide(let job, let slots, let verdict):
      Request(
        do: "decide", job: job.text, first: slots.first.milliseconds,
        last: slots.last.milliseconds, count: slots.count, verdict: verdict.name,
        detail: verdict.detail)
    case .ranUnclaimed(let job, let slot, let earlier):
      Request(
        do: "ranUnclaimed", job: job.text, slot: slot.milliseconds,
        earlier: earlier.map { signed($0.number) })
    case .end(let token, let outcome, let reason):
      Request(
        do: "end", token: signed(token.number), outcome: outcome.rawValue, reason: stored(reason))
    case .retire(let former): Request(do: "retire", member: signed(former.number))
    case .giveBack(let token): Request(do: "giveBack", token: signed(token.number))
    case .suspend(let job, let suspension):
      Request(
        do: "suspend", job: job.text,
        suspension: suspension.map {
          Suspended(
            since: $0.since.nanoseconds, until: $0.until?.nanoseconds, reason: stored($0.reason))
        })
    }
  }

  private static func claim(_ claim: SlotClaim) -> Request {
    Request(
      do: "claim", job: claim.job.text, slot: claim.slot.milliseconds,
      schedule: Int64(bitPattern: claim.schedule), overlap: claim.overlap.rawValue,
      does: claim.overlap.answers.names, group: claim.group.map(stored), groupMax: claim.groupMax,
      limit: claim.limit,
      atLeastOnce: claim.isAtLeastOnce, validUntil: claim.validUntil.nanoseconds,
      earlier: claim.earlier.map { signed($0.number) })
  }

  private static func restoration(_ known: RememberedClaim) -> Request {
    var request = claim(known.claim)
    request.do = "restore"
    // A claim that there is takes no place in its group.
    request.groupMax = nil
    request.token = signed(known.token.number)
    request.attempt = known.attempt
    request.outcome = known.ending?.outcome.rawValue
    request.reason = known.ending.map { stored($0.reason) }
    return request
  }

  /// The engine's own form of a number; -1, which it never gives out, for one too large.
  private static func signed(_ number: UInt64) -> Int64 { Int64(exactly: number) ?? -1 }

  /// PostgreSQL cannot store a zero byte in a text.
  private static func stored(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    let scalars = text.unicodeScalars.map { $0.value == 0 ? "\u{fffd}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}
