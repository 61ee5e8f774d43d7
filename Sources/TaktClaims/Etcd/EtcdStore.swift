import TaktTime

/// A cluster's records in etcd: reads them, and writes changes to them if nobody else has.
///
/// Every writer changes the record `meta`, and compares it with the one it has read: so all batches
/// follow one another, whatever they touch. For the driver's thread only.
struct EtcdStore {
  typealias Deadline = ContinuousClock.Instant

  /// The source of the time: a test has a clock of its own.
  enum Clock: Sendable {
    case etcd
    case fixed(@Sendable () -> WallInstant)
  }

  enum Writing {
    case done
    /// Another machine was first; the state is the newer one.
    case conflict
  }

  /// Keys in one answer; a job's record has a few kilobytes, and the gateway takes a few megabytes.
  private static let pageMax = 100

  private(set) var client: EtcdClient
  private(set) var state: EtcdState
  /// True if `state` is a recent copy of etcd's.
  private var isLoaded = false

  private let clock: Clock

  init(_ access: EtcdAccess, cluster: String, clock: Clock = .etcd) {
    let prefix = "/takt/\(cluster)/"
    self.clock = clock
    client = EtcdClient(access, prefix: prefix)
    state = EtcdState(prefix: prefix)
  }

  // MARK: Time

  /// This machine's clock that cannot be set, and that also counts sleep; in nanoseconds.
  var boot: Int64 {
    if case .fixed(let now) = clock { now().nanoseconds } else { client.boot }
  }

  /// The latest possible time by etcd's clock.
  var latestWall: WallInstant? {
    if case .fixed(let now) = clock { now() } else { client.clock.latest(at: client.boot) }
  }

  /// The likeliest time by etcd's clock.
  var likeliestWall: WallInstant? {
    if case .fixed(let now) = clock { now() } else { client.clock.likeliest(at: client.boot) }
  }

  /// The time to ask for etcd's clock alone.
  mutating func nextQuestion() -> Deadline? {
    if case .fixed = clock { nil } else { client.nextQuestion() }
  }

  mutating func askForTime(until deadline: Deadline) { client.askForTime(until: deadline) }

  // MARK: Records

  /// The cache may be wrong after a failure: etcd may have been restored from a backup since.
  mutating func forget() { isLoaded = false }

  /// Reads all, unless it is cached.
  mutating func load(until deadline: Deadline) throws(EtcdProblem) {
    if !isLoaded { try reload(until: deadline) }
  }

  mutating func reload(until deadline: Deadline) throws(EtcdProblem) {
    isLoaded = false
    var fresh = EtcdState(prefix: state.prefix)
    var values: [EtcdMessage.KeyValue] = []
    var start: String?
    while true {
      let page: EtcdMessage.Range = try client.call(
        "/v3/kv/range",
        EtcdMessage.RangeRequest(
          prefix: state.prefix, from: start, limit: Self.pageMax,
          revision: start == nil ? nil : fresh.revision),
        until: deadline)
      guard let revision = (page.header?.revision).flatMap({ Int64($0) }) else {
        throw .unreadable(client.place)
      }
      if start == nil { fresh.revision = revision }
      values += page.kvs ?? []
      guard page.more == true, let last = page.kvs?.last else { break }
      start = last.keyText + "\0"
    }
    try check(fresh.apply(values, seenAt: boot))
    fresh.remember(state)
    state = fresh
    isLoaded = true
  }

  mutating func refresh(until deadline: Deadline) throws(EtcdProblem) {
    guard isLoaded else { return try reload(until: deadline) }
    let answer: EtcdMessage.Transaction = try client.call(
      "/v3/kv/txn", EtcdMessage.TransactionRequest(success: news), until: deadline)
    try receive(answer, until: deadline)
  }

  /// Checks that this user may write; nothing is written.
  mutating func knock(until deadline: Deadline) throws(EtcdProblem) {
    let _: EtcdMessage.Transaction = try client.call(
      "/v3/kv/txn",
      EtcdMessage.TransactionRequest(
        compare: [.init(neverOf: state.metaKey)],
        success: [.init(request_put: .init(key: EtcdMessage.base64(state.metaKey), value: ""))]),
      until: deadline)
  }

  /// Writes the changes that made `next` of the cached state, if that is still current.
  mutating func write(
    _ changes: EtcdState.Changes, making next: EtcdState, until deadline: Deadline
  ) throws(EtcdProblem) -> Writing {
    var request = EtcdMessage.TransactionRequest(
      compare: [.init(state.metaKey, is: state.metaValue)], failure: news)
    request.success = changes.puts.map { key, value in
      .init(request_put: .init(key: EtcdMessage.base64(key), value: value))
    }
    request.success += changes.deletions.map { key in
      .init(request_delete_range: .init(key: EtcdMessage.base64(key)))
    }
    let answer: EtcdMessage.Transaction = try client.call(
      "/v3/kv/txn", request, until: deadline)
    guard let revision = Int64(answer.header.revision) else { throw .unreadable(client.place) }
    if answer.succeeded == true {
      state = next
      state.revision = revision
      return .done
    }
    try receive(answer, until: deadline)
    return state.stamp == next.stamp ? .done : .conflict
  }

  /// Requests the changes since the cached state.
  private var news: [EtcdMessage.Operation] {
    var range = EtcdMessage.RangeRequest(prefix: state.prefix, limit: Self.pageMax)
    range.min_mod_revision = String(state.revision + 1)
    return [
      .init(request_range: EtcdMessage.RangeRequest(key: state.metaKey)),
      .init(request_range: range),
    ]
  }

  private mutating func receive(
    _ answer: EtcdMessage.Transaction, until deadline: Deadline
  ) throws(EtcdProblem) {
    let ranges = (answer.responses ?? []).compactMap(\.response_range)
    guard let revision = Int64(answer.header.revision), ranges.count == 2 else {
      throw .unreadable(client.place)
    }
    // Fewer revisions than before, or no records: a backup was restored, or all was deleted.
    let isOther =
      revision < state.revision || (ranges[0].kvs ?? []).isEmpty != (state.metaValue == nil)
    guard !isOther, ranges[1].more != true else { return try reload(until: deadline) }
    try check(state.apply(ranges[1].kvs ?? [], seenAt: boot))
    state.revision = revision
  }

  /// - Parameter key: the key of a record that this version cannot read.
  private mutating func check(_ key: String?) throws(EtcdProblem) {
    guard let key else { return }
    isLoaded = false
    throw .newerRecord(client.place, key: key)
  }
}
