import FoundationEssentials
package import TaktCore
package import TaktTime

/// A cluster's records as they were read, without a server: for `boundary-fuzz`.
package struct EtcdReading {
  private var state: EtcdState
  private let now: WallInstant

  package init(cluster: String, at now: WallInstant) {
    state = EtcdState(prefix: "/takt/\(cluster)/")
    self.now = now
  }

  /// Takes records by their keys without the cluster's prefix; false where one cannot be read.
  package mutating func apply(_ records: [(key: String, value: [UInt8])]) -> Bool {
    apply(
      records.map { key, value in
        EtcdMessage.KeyValue(
          key: EtcdMessage.base64(state.prefix + key), value: Data(value).base64EncodedString())
      })
  }

  private mutating func apply(_ values: [EtcdMessage.KeyValue]) -> Bool {
    state.apply(values, seenAt: now.nanoseconds) == nil
  }

  /// Reads the body of any answer, and returns its findings in words.
  package mutating func read(answer body: [UInt8]) -> [String] {
    let data = Data(body)
    let decoder = JSONDecoder()
    var words: [String] = []
    if let range = try? decoder.decode(EtcdMessage.Range.self, from: data) {
      _ = apply(range.kvs ?? [])
    }
    if let transaction = try? decoder.decode(EtcdMessage.Transaction.self, from: data) {
      for range in (transaction.responses ?? []).compactMap(\.response_range) {
        _ = apply(range.kvs ?? [])
      }
    }
    if let version = try? decoder.decode(EtcdMessage.Version.self, from: data) {
      words.append(version.etcdserver)
    }
    if let refusal = try? decoder.decode(EtcdMessage.Refusal.self, from: data) {
      let place = EtcdProblem.Place(text: "http://127.0.0.1:2379")
      let problem = EtcdProblem(refusal, at: place, user: "takt", prefix: state.prefix)
      words.append(problem.failure(patience: .seconds(5)).description)
    }
    return words
  }

  /// Performs a batch of a process that has joined with batch 1.
  package mutating func perform(_ batch: ClaimBatch) -> ClaimReply {
    let old = state
    let reply = state.perform(
      batch,
      EtcdState.Turn(
        now: now, boot: now.nanoseconds, instance: 7, renewals: [batch.number: now.nanoseconds]))
    _ = state.changes(since: old, stamp: 1)
    return reply
  }

  /// Jobs and members as another machine reads the written records; nil if it cannot.
  package var written: EtcdReading? {
    var state = state
    var other = EtcdReading(cluster: "", at: now)
    other.state = EtcdState(prefix: state.prefix)
    let changes = state.changes(since: other.state, stamp: 1)
    let isRead = other.apply(
      changes.puts.map { EtcdMessage.KeyValue(key: EtcdMessage.base64($0.key), value: $0.value) })
    return isRead ? other : nil
  }

  /// Compares jobs and members.
  package func isSame(as other: EtcdReading) -> Bool {
    state.engine.jobs == other.state.engine.jobs
      && state.engine.members.mapValues(\.facts) == other.state.engine.members.mapValues(\.facts)
  }

  /// All jobs, with their slots as `takt verify` reads them.
  package var history: [(job: JobName, slots: EngineSlots)] {
    let history = EtcdHistory(state, at: now)
    let start = WallInstant(nanoseconds: .min)
    return state.engine.jobs.keys.sorted().compactMap { job in
      (try? history.slots(of: job, after: start)).map { (job, $0) }
    }
  }

  /// Reads the header `Date`, in seconds since 1970.
  package static func seconds(ofDate text: String) -> Int64? { HTTPDate.seconds(text) }
}
