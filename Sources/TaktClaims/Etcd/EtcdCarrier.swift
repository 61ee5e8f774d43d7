import TaktCore
import TaktSystem
import TaktTime

/// Carries batches to etcd. For the driver's thread only.
struct EtcdCarrier: BatchCarrier {
  typealias Deadline = ContinuousClock.Instant

  /// Within etcd's default bounds of 128 operations and 1.5 MB in a transaction.
  private static let operationsMax = 120
  private static let bytesMax = 700_000
  /// The most jobs whose requests one transaction performs, or whose slots it settles.
  private static let jobsMax = 50
  private static let requestsMax = 256
  private static let questionPatience = Duration.milliseconds(300)
  /// In microseconds.
  private static let pauseMax = 1000

  private let patience: Duration
  /// Identifies the process: members that others have joined as are not this one's, whatever their
  /// numbers.
  private let instance = UInt64.random(in: 1 ... .max)
  private let cachesNothing: Bool
  /// The times of the newest renewals, by the batches' numbers.
  private var renewals: [UInt64: Int64] = [:]
  private static let renewalsKept = 64
  private var store: EtcdStore

  /// - Parameter cachesNothing: true to read all for each batch, for tests.
  init(
    _ access: EtcdAccess, cluster: String, patience: Duration, clock: EtcdStore.Clock = .etcd,
    cachesNothing: Bool = false
  ) {
    self.patience = patience
    self.cachesNothing = cachesNothing
    store = EtcdStore(access, cluster: cluster, clock: clock)
  }

  mutating func carry(_ batch: ClaimBatch, until deadline: Deadline) -> ClaimOutcome {
    do throws(EtcdProblem) {
      return .answered(try perform(batch, until: deadline))
    } catch {
      store.forget()
      return .failed(number: batch.number, error.failure(patience: patience))
    }
  }

  mutating func close() {}

  // MARK: The clock

  var wakeAt: Deadline? { mutating get { store.nextQuestion() } }

  mutating func wake() { store.askForTime(until: .now + Self.questionPatience) }

  /// The rules use the latest possible time, so that nobody waits because the clock is uncertain;
  /// comparisons of other machines' clocks use the likeliest.
  private func turn() throws(EtcdProblem) -> EtcdState.Turn {
    guard let now = store.latestWall else { throw .noDate(store.client.place) }
    return EtcdState.Turn(
      now: now, boot: store.boot, instance: instance, renewals: renewals)
  }

  // MARK: Batches

  private mutating func perform(
    _ batch: ClaimBatch, until deadline: Deadline
  ) throws(EtcdProblem) -> ClaimReply {
    if cachesNothing { store.forget() }
    if batch.facts != nil, renewals[batch.number] == nil {
      renewals[batch.number] = store.boot
      // Numbers grow; of old ones nothing is left in etcd.
      if renewals.count > Self.renewalsKept, let oldest = renewals.keys.min() {
        renewals[oldest] = nil
      }
    }
    try store.load(until: deadline)
    var reply = ClaimReply(number: batch.number, member: nil, wall: WallInstant(nanoseconds: 0))
    if batch.member == nil, batch.facts == nil {
      try store.knock(until: deadline)
    } else {
      var rest = batch.requests[...]
      var jobsMax = Self.jobsMax
      var answers: [ClaimAnswer] = []
      repeat {
        var part = batch
        part.member = reply.member ?? batch.member
        part.requests = Array(rest.prefix(length(of: rest, jobsMax: jobsMax)))
        part.leaves = batch.leaves && part.requests.count == rest.count
        guard let done = try perform(part: part, jobsMax: jobsMax, until: deadline) else {
          // It does not fit into one transaction.
          jobsMax /= 2
          continue
        }
        reply = done
        guard reply.member != nil else { break }
        answers += reply.answers
        rest = rest.dropFirst(part.requests.count)
        if rest.isEmpty { break }
      } while true
      if reply.member != nil { reply.answers = answers }
    }
    if let wall = store.likeliestWall { reply.wall = wall }
    return reply
  }

  /// The number of leading requests that concern at most `jobsMax` jobs.
  private func length(of requests: ArraySlice<ClaimRequest>, jobsMax: Int) -> Int {
    var jobs: Set<JobName> = []
    for (count, request) in requests.prefix(Self.requestsMax).enumerated() {
      let job: JobName? =
        switch request {
        case .declare(let job, _, _, _, _, _), .ask(let job, _, _), .decide(let job, _, _),
          .lastEnd(let job), .ranUnclaimed(let job, _, _), .suspend(let job, _):
          job
        case .claim(let claim): claim.job
        case .restore(let known): known.claim.job
        case .retire: nil
        case .end(let token, _, _), .giveBack(let token): store.state.engine.job(of: token)
        }
      if let job { jobs.insert(job) }
      if jobs.count > jobsMax { return count }
    }
    return min(requests.count, Self.requestsMax)
  }

  /// Performs part of a batch in one transaction; nil if it is too much for one.
  private mutating func perform(
    part batch: ClaimBatch, jobsMax: Int, until deadline: Deadline
  ) throws(EtcdProblem) -> ClaimReply? {
    var isFresh = false
    while true {
      let turn = try turn()
      var next = store.state
      next.engine.settledJobsMax = jobsMax
      let reply = next.perform(batch, turn)
      // Stale cached data can make a valid membership look over.
      if reply.member == nil, !isFresh {
        try store.refresh(until: deadline)
        isFresh = true
        continue
      }
      let changes = next.changes(since: store.state, stamp: .random(in: 1 ... .max))
      // Such a batch has settled slots at most.
      if reply.member == nil, changes.count == 1 { return reply }
      if jobsMax > 1, changes.count > Self.operationsMax || changes.bytes > Self.bytesMax {
        return nil
      }
      switch try store.write(changes, making: next, until: deadline) {
      case .done:
        return reply
      case .conflict:
        isFresh = true
        // Its answer has brought the news. The pause keeps two machines out of step; a machine that
        // pauses loses to those that do not.
        let pause = Duration.microseconds(Int.random(in: 0...Self.pauseMax))
        guard deadline - .now > pause else { throw .conflicts(store.client.place) }
        Thread.sleep(pause)
      }
    }
  }
}
