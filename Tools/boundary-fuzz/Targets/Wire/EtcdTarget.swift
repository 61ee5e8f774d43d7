import TaktClaims
import TaktCore
import TaktTesting
import TaktTime

/// An answer of etcd, and the date that its server sends.
struct EtcdAnswerTarget: FuzzTarget {
  static let name = "etcd"
  static let summary = "an answer of etcd's JSON gateway: records, refusals, versions, dates"

  mutating func read(_ bytes: [UInt8]) {
    var reading = EtcdReading(cluster: "x", at: FixedTime.wall)
    _ = reading.read(answer: bytes)
    _ = EtcdReading.seconds(ofDate: String(decoding: bytes, as: UTF8.self))
  }
}

/// A cluster's records: keys and values in turn, separated by zero bytes. Other machines must read
/// the same from the records that are written, and neither a batch nor `takt verify` may trap.
struct EtcdRecordsTarget: FuzzTarget {
  static let name = "etcd-records"
  static let summary = "a cluster's records in etcd, a batch on them, and what takt verify reads"

  private let facts = MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(5))
  private let requests = ClaimRequests(now: FixedTime.wall)

  mutating func read(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    let records = stride(from: 0, to: parts.count - 1, by: 2).map {
      (key: String(decoding: parts[$0], as: UTF8.self), value: Array(parts[$0 + 1]))
    }
    var reading = EtcdReading(cluster: "x", at: FixedTime.wall)
    guard reading.apply(records) else { return }
    guard let first = reading.written, let second = first.written else {
      preconditionFailure("what is written cannot be read")
    }
    precondition(first.isSame(as: second), "what is written is read as something else")
    audit(reading)
    let join = ClaimBatch(number: 1, member: nil, facts: facts, requests: requests.all)
    let reply = reading.perform(join)
    _ = reading.perform(ClaimBatch(number: 2, member: reply.member, facts: facts))
    audit(reading)
  }

  private func audit(_ reading: EtcdReading) {
    for (job, slots) in reading.history { EngineAudit.check(slots, of: job) }
  }
}

/// Requests of each kind, of one job.
struct ClaimRequests {
  let all: [ClaimRequest]

  init(now: WallInstant) {
    guard let job = JobName("a") else { preconditionFailure("'a' is a name") }
    let next = now + .minutes(-1)
    var series = SlotSeries(now + .minutes(-9))
    series.last = now + .minutes(-5)
    series.count = 5
    let claims = Overlap.allCases.enumerated().map { index, overlap in
      ClaimRequest.claim(
        SlotClaim(
          job: job, slot: next + .seconds(index), schedule: 1, overlap: overlap, group: "g",
          groupMax: 2, limit: 1000, isAtLeastOnce: index % 2 == 0, validUntil: now + .minutes(5)))
    }
    all =
      [.declare(job, schedule: 1, isChanged: true, rest: .seconds(1))] + claims + [
        .ask(job, [next, now], schedule: 1), .decide(job, series, .missed(.down)),
        .decide(job, SlotSeries(now + .minutes(-2)), .skipped(.overlap)),
        .ranUnclaimed(job, now + .minutes(-3)), .lastEnd(job),
        .end(ClaimToken(1), .succeeded, reason: ""), .giveBack(ClaimToken(2)),
        .suspend(job, Suspension(since: now, until: nil, reason: "r")), .suspend(job, nil),
      ]
  }
}

/// Compares an engine's slots of a job with those of its schedules.
enum EngineAudit {
  static let mark = ScheduleEdge(
    clock: ScheduleInstant(FixedTime.wall), wall: ScheduleInstant(FixedTime.wall),
    at: FixedTime.wall)

  static func check(
    _ slots: EngineSlots, of job: JobName, versions: [AuditedVersion] = [],
    mark: ScheduleEdge = mark
  ) {
    var audit = ClusterAudit(
      job: job, versions: versions, mark: mark, since: .min, engine: slots, patience: .seconds(60),
      slotsMax: 1000)
    audit.settle(audit.unknown.map { _ in ClusterAudit.LocalRecord.none })
    for finding in audit.findings { _ = finding.description }
  }
}

extension Duration {
  fileprivate static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
}
