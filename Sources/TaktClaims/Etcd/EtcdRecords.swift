import TaktCore
import TaktTime

/// The records that takt keeps in etcd, as JSON. Instants and durations are nanoseconds.
enum EtcdRecord {
  /// The version of all records.
  static let version = 1

  /// Written by all batches, so that each notices every other one.
  struct Meta: Codable, Hashable {
    var version: Int
    /// A random number for each batch.
    var stamp: UInt64
    var lastMember: UInt64
    var lastToken: UInt64
    /// The members whose records count.
    var members: [UInt64]
  }

  struct Member: Codable, Hashable {
    var machine: String
    var host: String
    var api: String?
    var takt: String
    var labels: [String: String]
    var lease: Int64
    var grace: Int64
    var clockOffset: Int64
    var zoneData: String?
    var lastBatch: UInt64
    /// A random number for each process.
    var instance: UInt64
    /// The newest batch that renewed the lease. Others count the lease from when they see it first.
    var renewal: UInt64
    /// The renewal's time by etcd's clock: for people, and to detect a time in which no member was
    /// heard.
    var renewedAt: Int64
    /// Set after all members were cut off: this one has time for one lease more, counted from when
    /// others see this number first.
    var patience: UInt64?
  }

  struct Job: Codable, Hashable {
    var schedule: UInt64
    var since: Int64
    var changedAt: Int64?
    var replaced: [UInt64]?
    var zones: UInt64?
    var zoneData: String?
    var rest: Int64?
    var lastEnd: Int64?
    var suspension: Suspended?
    var ranCount: Int
    var slots: [Slot]
  }

  struct Suspended: Codable, Hashable {
    var since: Int64
    var until: Int64?
    var reason: String
  }

  struct Slot: Codable, Hashable {
    var slot: Int64
    var state: String
    var member: UInt64?
    var verdict: String?
    var outcome: String?
    var reason: String?
    var attempt: Int?
    var token: UInt64?
    var decidedFor: UInt64?
    var atLeastOnce: Bool?
    var replaced: Bool?
    var group: String?
    var validUntil: Int64?
    var machine: String?
    /// The time of the last change of state.
    var at: Int64
  }

  /// The part of a job's record that seldom changes.
  struct Past: Codable, Hashable {
    var ranges: [Range]
    var series: [Series]
    var doubled: [Doubled]
  }

  struct Range: Codable, Hashable {
    var first: Int64
    var last: Int64
    var count: Int
    var kind: String
  }

  struct Series: Codable, Hashable {
    var first: Int64
    var last: Int64
    var count: Int
    var verdict: String
  }

  struct Doubled: Codable, Hashable {
    var slot: Int64
    var machine: String
  }
}

// MARK: - From and to the rules

extension Verdict {
  /// `ran`, `skipped:overlap`, `coalesced:1795456312345000000`
  var recordText: String {
    switch self {
    case .coalesced(let into): "\(name):\(into.nanoseconds)"
    case .ran, .skipped, .missed, .cancelled: detail.map { "\(name):\($0)" } ?? name
    }
  }

  init?(recordText text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard let kind = parts.first.flatMap(Kind.init) else { return nil }
    let detail = parts.count > 1 ? parts[1] : ""
    let verdict: Verdict? =
      switch kind {
      case .ran: .ran
      case .skipped: SkipReason(rawValue: detail).map { .skipped($0) }
      case .coalesced: Int64(detail).map { .coalesced(into: WallInstant(nanoseconds: $0)) }
      case .missed: MissCause(rawValue: detail).map { .missed($0) }
      case .cancelled: CancelReason(rawValue: detail).map { .cancelled($0) }
      }
    guard let verdict else { return nil }
    self = verdict
  }
}

extension MemberFacts {
  init(_ record: EtcdRecord.Member) {
    self.init(
      machine: record.machine, host: record.host, version: record.takt, labels: record.labels,
      lease: .nanoseconds(record.lease), grace: .nanoseconds(record.grace),
      clockOffset: .nanoseconds(record.clockOffset), zoneData: record.zoneData, api: record.api)
  }
}

extension Suspension {
  init(_ record: EtcdRecord.Suspended) {
    self.init(
      since: WallInstant(nanoseconds: record.since),
      until: record.until.map { WallInstant(nanoseconds: $0) }, reason: record.reason)
  }
}

extension EtcdRecord.Suspended {
  init(_ suspension: Suspension) {
    self.init(
      since: suspension.since.nanoseconds, until: suspension.until?.nanoseconds,
      reason: suspension.reason)
  }
}

extension EtcdRecord.Slot {
  init(_ slot: MemoryEngine.Slot, _ instant: WallInstant, _ detail: EtcdState.Detail) {
    self.init(
      slot: instant.nanoseconds, state: "open", attempt: slot.attempt == 1 ? nil : slot.attempt,
      token: slot.token?.number, machine: detail.machine, at: detail.at.nanoseconds)
    switch slot.state {
    case .open: break
    case .claimed(let member):
      state = "claimed"
      self.member = member.number
    case .decided(let verdict, let outcome, let reason):
      // Only undecided slots have the omitted fields.
      state = "decided"
      self.verdict = verdict.recordText
      self.outcome = outcome?.rawValue
      self.reason = reason.isEmpty ? nil : reason
      decidedFor = slot.decidedFor?.number
      return
    }
    atLeastOnce = slot.isAtLeastOnce ? true : nil
    replaced = slot.isReplaced ? true : nil
    group = slot.group
    validUntil = slot.validUntil.nanoseconds
  }

  /// Nil for a value of a later version.
  var rulesSlot: MemoryEngine.Slot? {
    guard let state = rulesState else { return nil }
    return MemoryEngine.Slot(
      state: state, attempt: attempt ?? 1, token: token.map { ClaimToken($0) },
      decidedFor: decidedFor.map { MemberID($0) }, isAtLeastOnce: atLeastOnce ?? false,
      isReplaced: replaced ?? false, group: group,
      validUntil: WallInstant(nanoseconds: validUntil ?? slot))
  }

  private var rulesState: MemoryEngine.State? {
    switch state {
    case "open": return .open
    case "claimed": return member.map { .claimed(MemberID($0)) }
    case "decided":
      guard let verdict = verdict.flatMap(Verdict.init(recordText:)) else { return nil }
      guard let outcome else { return .decided(verdict, nil, reason: reason ?? "") }
      return Outcome(rawValue: outcome).map { .decided(verdict, $0, reason: reason ?? "") }
    default: return nil
    }
  }
}
