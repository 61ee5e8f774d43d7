import FoundationEssentials
import TaktCore
import TaktTime

/// A cluster's state in etcd at one revision, with the rules that change it.
struct EtcdState {
  /// The facts about a slot that the rules do not use.
  struct Detail: Hashable {
    var machine: String?
    /// The time of its last change of state.
    var at: WallInstant
  }

  /// The facts about a member that the rules do not use.
  struct Origin: Hashable {
    var instance: UInt64
    var renewal: UInt64
    var renewedAt: WallInstant
    /// The time at which this process saw that renewal first, on its boot clock.
    var seenAt: Int64
    /// A sign that it has time for one lease more since the renewal, and the time at which this
    /// process saw it.
    var patience: UInt64?
    var patientSince: Int64 = 0
  }

  /// The most full records of decided slots per job; the older ones are compacted.
  static let decidedMax = 48
  static let decidedKept = 32
  /// Decided requests may be repeated for this long, and get the same answer.
  static let repeatedFor = Duration.seconds(60)
  static let rangesMax = 1000
  static let seriesMax = 200
  static let doubledMax = 200
  /// The highest number or count accepted from a record, with room to add to it.
  private static let numberMax = UInt64(1) << 62
  private static let counts = 0...(1 << 53)

  let prefix: String
  var engine = MemoryEngine()
  var details: [JobName: [WallInstant: Detail]] = [:]
  var doubled: [JobName: [EtcdRecord.Doubled]] = [:]
  var origins: [MemberID: Origin] = [:]
  /// The value of the key `meta`, in base64; nil where there is none.
  var metaValue: String?
  var stamp: UInt64?
  var revision: Int64 = 0

  var metaKey: String { prefix + "meta" }
}

// MARK: - From etcd

extension EtcdState {
  /// Applies changes. `boot` is the boot clock after they came.
  ///
  /// - Returns: the key of the first record that this version cannot read.
  mutating func apply(_ values: [EtcdMessage.KeyValue], seenAt boot: Int64) -> String? {
    var members: Set<UInt64>?
    var holds: [MemberID: Set<JobName>] = [:]
    for value in values {
      let key = value.keyText
      guard key.hasPrefix(prefix) else { continue }
      let parts = key.dropFirst(prefix.count).split(separator: "/", maxSplits: 1).map(String.init)
      let name = parts.count > 1 ? parts[1] : ""
      let isKnown: Bool
      switch parts.first {
      case "meta":
        let meta: EtcdRecord.Meta? = decode(value)
        members = meta.map { Set($0.members) }
        isKnown = meta.map { apply($0, value) } ?? false
      case "holds":
        let jobs: [String]? = decode(value)
        if let id = UInt64(name), let jobs {
          holds[MemberID(id)] = Set(jobs.compactMap { JobName($0) })
        }
        isKnown = jobs != nil
      case "member": isKnown = applyMember(name, decode(value), boot)
      case "job": isKnown = applyJob(name, decode(value))
      case "past": isKnown = applyPast(name, decode(value))
      // Of a later version.
      default: isKnown = true
      }
      if !isKnown { return key }
    }
    for (id, jobs) in holds { engine.members[id]?.holds = jobs }
    if let members {
      for id in engine.members.keys where !members.contains(id.number) {
        engine.members[id] = nil
        origins[id] = nil
      }
    }
    return nil
  }

  private func decode<Value: Decodable>(_ value: EtcdMessage.KeyValue) -> Value? {
    try? JSONDecoder().decode(Value.self, from: value.valueBytes)
  }

  private mutating func apply(_ meta: EtcdRecord.Meta, _ value: EtcdMessage.KeyValue) -> Bool {
    guard meta.version == EtcdRecord.version, meta.lastMember <= Self.numberMax,
      meta.lastToken <= Self.numberMax
    else { return false }
    (metaValue, stamp) = (value.value, meta.stamp)
    engine.lastMember = meta.lastMember
    engine.lastToken = max(engine.lastToken, meta.lastToken)
    return true
  }

  private mutating func applyMember(
    _ name: String, _ record: EtcdRecord.Member?, _ boot: Int64
  ) -> Bool {
    guard let record, let id = UInt64(name).map({ MemberID($0) }) else { return false }
    engine.members[id] = MemoryEngine.Member(
      facts: MemberFacts(record), leaseUntil: WallInstant(nanoseconds: 0),
      lastBatch: record.lastBatch, holds: engine.members[id]?.holds ?? [])
    var origin = Origin(
      instance: record.instance, renewal: record.renewal,
      renewedAt: WallInstant(nanoseconds: record.renewedAt), seenAt: boot,
      patience: record.patience, patientSince: boot)
    if let old = origins[id] { origin.remember(old) }
    origins[id] = origin
    return true
  }

  private mutating func applyJob(_ name: String, _ record: EtcdRecord.Job?) -> Bool {
    guard let record, let name = JobName(name), Self.counts.contains(record.ranCount) else {
      return false
    }
    var job = MemoryEngine.Job(
      schedule: record.schedule, since: WallInstant(nanoseconds: record.since))
    job.changedAt = record.changedAt.map { WallInstant(nanoseconds: $0) }
    job.replaced = record.replaced ?? []
    job.zones = record.zones.map { ScheduleZones(digest: $0, version: record.zoneData ?? "") }
    job.rest = record.rest.map { .nanoseconds($0) }
    job.lastEnd = record.lastEnd.map { WallInstant(nanoseconds: $0) }
    job.suspension = record.suspension.map { Suspension($0) }
    job.ranCount = record.ranCount
    var details: [WallInstant: Detail] = [:]
    for slot in record.slots {
      guard let rulesSlot = slot.rulesSlot, slot.token ?? 0 <= Self.numberMax,
        Self.counts.contains(rulesSlot.attempt)
      else { return false }
      let instant = WallInstant(nanoseconds: slot.slot)
      job.slots[instant] = rulesSlot
      details[instant] = Detail(machine: slot.machine, at: WallInstant(nanoseconds: slot.at))
    }
    // These have a record of their own, which comes later.
    job.past = engine.jobs[name]?.past ?? PastSlots()
    job.series = engine.jobs[name]?.series ?? []
    self.details[name] = details
    engine.load(job, named: name)
    // Even without the counters, no number is given out twice.
    engine.lastToken = max(engine.lastToken, record.slots.compactMap(\.token).max() ?? 0)
    return true
  }

  private mutating func applyPast(_ name: String, _ record: EtcdRecord.Past?) -> Bool {
    guard let record, let name = JobName(name) else { return false }
    var allSeries: [MemoryEngine.SeriesVerdict] = []
    for series in record.series {
      guard let verdict = Verdict(recordText: series.verdict), Self.counts.contains(series.count),
        series.first <= series.last
      else { return false }
      allSeries.append(
        MemoryEngine.SeriesVerdict(
          slots: SlotSeries(
            first: WallInstant(nanoseconds: series.first),
            last: WallInstant(nanoseconds: series.last), count: series.count), verdict: verdict))
    }
    var ranges: [PastSlots.Range] = []
    for range in record.ranges {
      guard let kind = Verdict.Kind(rawValue: range.kind), Self.counts.contains(range.count),
        range.first <= range.last
      else { return false }
      ranges.append(
        PastSlots.Range(
          first: WallInstant(nanoseconds: range.first), last: WallInstant(nanoseconds: range.last),
          count: range.count, kind: kind))
    }
    engine.jobs[name]?.past = PastSlots(ranges)
    engine.jobs[name]?.series = allSeries
    doubled[name] = record.doubled
    return true
  }

  /// Takes over this process's observations of other members, after the whole state was read again.
  mutating func remember(_ old: EtcdState) {
    for (id, origin) in origins {
      guard let seen = old.origins[id] else { continue }
      var origin = origin
      origin.remember(seen)
      origins[id] = origin
    }
  }
}

extension EtcdState.Origin {
  /// Keeps the time at which this process first saw the same values.
  fileprivate mutating func remember(_ old: Self) {
    guard instance == old.instance, renewal == old.renewal else { return }
    seenAt = old.seenAt
    if patience == old.patience { patientSince = old.patientSince }
  }
}
