import TaktCore
import TaktTime

/// A cluster's records in etcd: reads them, and writes changes to them if nobody else has.
///
/// Every writer changes the record `meta`, and compares it with what it has read: so all batches
/// follow one another, whatever they touch. It exists on the driver's thread alone.
struct EtcdStore {
  typealias Deadline = ContinuousClock.Instant

  /// What time it is: a test has a clock of its own.
  enum Clock: Sendable {
    case etcd
    case fixed(@Sendable () -> WallInstant)
  }

  /// What became of changes.
  enum Writing {
    case done
    /// Others were first; the state is the newer one.
    case conflict
  }

  /// Keys in one answer; a job's record has a few kilobytes, and the gateway takes a few megabytes.
  private static let pageMax = 100

  private(set) var client: EtcdClient
  private(set) var state: EtcdState
  /// Whether `state` is what etcd had not long ago.
  private var isLoaded = false

  private let clock: Clock

  init(_ access: EtcdAccess, cluster: String, clock: Clock = .etcd) {
    let prefix = "/takt/\(cluster)/"
    self.clock = clock
    client = EtcdClient(access, prefix: prefix)
    state = EtcdState(prefix: prefix)
  }

  // MARK: Time

  /// This machine's clock that nobody sets, and that goes on while it sleeps; in nanoseconds.
  var boot: Int64 {
    if case .fixed(let now) = clock { now().nanoseconds } else { client.boot }
  }

  /// The latest that it can be by etcd's clock.
  var latestWall: WallInstant? {
    if case .fixed(let now) = clock { now() } else { client.clock.latest(at: client.boot) }
  }

  /// What it is most likely by etcd's clock.
  var likeliestWall: WallInstant? {
    if case .fixed(let now) = clock { now() } else { client.clock.likeliest(at: client.boot) }
  }

  /// When to ask for the time alone.
  mutating func nextQuestion() -> Deadline? {
    if case .fixed = clock { nil } else { client.nextQuestion() }
  }

  mutating func askForTime(until deadline: Deadline) { client.askForTime(until: deadline) }

  // MARK: Records

  /// What is cached may be wrong after a failure: etcd may have been restored from a backup since.
  mutating func forget() { isLoaded = false }

  /// Reads all, unless it is cached.
  mutating func load(until deadline: Deadline) throws(EtcdProblem) {
    if !isLoaded { try reload(until: deadline) }
  }

  /// Reads all as of one revision.
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

  /// Brings the cached state up to date.
  mutating func refresh(until deadline: Deadline) throws(EtcdProblem) {
    guard isLoaded else { return try reload(until: deadline) }
    let answer: EtcdMessage.Transaction = try client.call(
      "/v3/kv/txn", EtcdMessage.TransactionRequest(success: news), until: deadline)
    try receive(answer, until: deadline)
  }

  /// Whether this user may write; nothing is written.
  mutating func knock(until deadline: Deadline) throws(EtcdProblem) {
    let _: EtcdMessage.Transaction = try client.call(
      "/v3/kv/txn",
      EtcdMessage.TransactionRequest(
        compare: [.init(neverOf: state.metaKey)],
        success: [.init(request_put: .init(key: EtcdMessage.base64(state.metaKey), value: ""))]),
      until: deadline)
  }

  /// Writes the changes that made `next` of the cached state, if that still stands.
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

  /// Asks for what has changed since the cached state.
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

  /// - Parameter key: that of a record which this version cannot read.
  private mutating func check(_ key: String?) throws(EtcdProblem) {
    guard let key else { return }
    isLoaded = false
    throw .newerRecord(client.place, key: key)
  }
}
