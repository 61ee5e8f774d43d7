import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import TaktClaims
import TaktCore
import TaktEngine
import TaktTime

/// This machine's connection to its cluster: passes requests of the scheduler to the engine,
/// answers to the scheduler, and the lease to the guard.
final class ClusterLink: ClusterPort {
  let facts: MemberFacts
  /// The address of this machine's API for other machines; nil if they cannot reach it.
  let api: APIAddress?
  private let deadline: Duration
  private let state = Mutex(State())

  private struct State {
    var engine: (any ClaimDriver)?
    var scheduler: Scheduler?
    var guardian: Guard?
    /// The times at which batches were passed on, in nanoseconds of the clock that includes sleep.
    var sentAt: [UInt64: UInt64] = [:]
    /// Called with the first answer.
    var onFirst: (@Sendable (ClaimOutcome) -> Void)?
  }

  /// - Throws: an exit code, if the engine refuses this machine and the file says that takt must
  ///   not start then.
  /// - Returns: nil for a file without a cluster.
  static func open(_ settings: SchedulerSettings) throws -> (link: ClusterLink, note: String?)? {
    guard let cluster = settings.cluster else { return nil }
    let link = ClusterLink(cluster, settings.http)
    guard case .failed(_, let failure) = link.knock() else { return (link, nil) }
    if failure.isPermanent, cluster.start == .refuse {
      Console.error("takt: cannot join the cluster: \(failure)")
      throw ExitCode.configuration
    }
    return (link, "cannot join the cluster yet: \(failure)")
  }

  init(_ cluster: ClusterSettings, _ http: HTTPSettings?) {
    let host = Self.hostName
    api = cluster.api ?? http?.apiAddress(hostName: host)
    facts = MemberFacts(
      machine: cluster.machine ?? host, host: host, version: TaktVersion.current,
      labels: cluster.labels, lease: cluster.lease, grace: .zero,
      zoneData: ZoneFiles().version, api: api?.description)
    deadline = PostgresEngine.deadline(for: cluster.lease)
    let onOutcome: @Sendable (ClaimOutcome) -> Void = { [weak self] in self?.hear($0) }
    let engine: any ClaimDriver =
      switch cluster.engine {
      case .postgres(let url):
        PostgresEngine(
          url: url, cluster: cluster.name, deadline: deadline, onOutcome: onOutcome)
      case .etcd(let settings):
        EtcdEngine(
          EtcdAccess(settings), cluster: cluster.name, deadline: deadline, onOutcome: onOutcome)
      }
    state.withLock { $0.engine = engine }
  }

  /// Sends the engine an empty batch, and waits for its answer: a little longer than the driver
  /// does, which cannot answer if the system gives it no thread.
  private func knock() -> ClaimOutcome { ask(ClaimBatch(number: 0, member: nil, facts: nil)) }

  private func ask(_ batch: ClaimBatch) -> ClaimOutcome {
    let answered = DispatchSemaphore(value: 0)
    let answer = Mutex<ClaimOutcome?>(nil)
    state.withLock { state in
      state.onFirst = { outcome in
        answer.withLock { $0 = outcome }
        answered.signal()
      }
    }
    send(batch)
    let patience = deadline + .seconds(1)
    _ = answered.wait(timeout: .now() + .milliseconds(Int(patience / .milliseconds(1))))
    state.withLock { $0.onFirst = nil }
    return answer.withLock(\.self)
      ?? .failed(
        number: batch.number,
        ClaimFailure("The driver of the engine does not answer. Check the limits of the system."))
  }

  /// Reports for a killed daemon of this machine that none of its runs is left: they are decided at
  /// once, and the other machines need not wait for the end of its lease.
  ///
  /// - Returns: true if the engine has the report, from here or from another process.
  func retire(_ former: MemberID) -> Bool {
    guard case .answered(let reply) = ask(ClaimBatch(number: 1, member: nil, facts: facts)),
      let member = reply.member
    else { return false }
    let request = ClaimBatch(
      number: 2, member: member, facts: facts, requests: [.retire(former)])
    guard case .answered(let answer) = ask(request), answer.member == member else { return false }
    // The engine decides with the next renewal.
    _ = ask(ClaimBatch(number: 3, member: member, facts: facts))
    _ = ask(ClaimBatch(number: 4, member: member, facts: nil, leaves: true))
    return true
  }

  /// The command that runs `retire`, without the member.
  static func farewell(for file: String) -> [String] {
    ["takt", "cluster", "retire", "--file", file]
  }

  private func hear(_ outcome: ClaimOutcome) {
    let (first, scheduler) = state.withLock { state in
      defer { state.onFirst = nil }
      return (state.onFirst, state.scheduler)
    }
    if case .answered(let reply) = outcome {
      state.withLock(\.guardian)?.setMember(reply.member?.number)
    }
    if let first { return first(outcome) }
    scheduler?.send(.claims(outcome))
  }

  /// Sets the receiver of the engine's answers, and the guard that ends runs if takt cannot.
  func connect(_ scheduler: Scheduler, _ guardian: Guard?) {
    state.withLock { state in
      state.scheduler = scheduler
      state.guardian = guardian
    }
  }

  func send(_ batch: ClaimBatch) {
    state.withLock { state in
      if batch.facts != nil { state.sentAt[batch.number] = SystemTimeSource().sinceBoot }
      state.engine?.send(batch)
    }
  }

  func leased(batch: UInt64, for duration: Duration) {
    let (sentAt, guardian) = state.withLock { state in
      defer { state.sentAt = state.sentAt.filter { $0.key > batch } }
      return (state.sentAt[batch], state.guardian)
    }
    guard let sentAt else { return }
    guardian?.setDeadline(sentAt + UInt64(max(0, duration / .nanoseconds(1))))
  }

  func close() { state.withLock { $0.engine?.close() } }

  private static var hostName: String {
    var system = utsname()
    guard uname(&system) == 0 else { return "unknown" }
    return withUnsafeBytes(of: &system.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
