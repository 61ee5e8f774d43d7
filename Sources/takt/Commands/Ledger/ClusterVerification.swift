import ArgumentParser
import TaktClaims
import TaktCore
import TaktEngine
import TaktStore
import TaktTime

/// `takt verify --cluster`: the slots of shared jobs over all machines.
struct ClusterVerification {
  let state: StateArgument
  let since: WallInstant?

  /// More findings are counted, but not listed.
  fileprivate static let findingsMax = 1000

  func run(json: Bool) throws {
    let snapshot = try JobsFileSource(path: state.file, catalogue: BuiltinRegistry.standard)
      .loadOrExit(isQuiet: true).snapshot
    guard let cluster = snapshot.settings.cluster else {
      Console.error("takt: \(state.file) has no 'scheduler.cluster'")
      throw ExitCode.configuration
    }
    let (archive, zone) = try state.open()
    var report = Report()
    do {
      let history = try open(cluster)
      for job in snapshot.jobs where job.machines != .each {
        report.add(try audit(job.name, archive, history, cluster.lease))
      }
    } catch let failure as ClaimHistoryFailure {
      Console.error("takt: cannot read the cluster's slots: \(failure)".printable)
      throw ExitCode.unreachable
    }
    if json {
      Console.print(Answer(report, since: since).jsonLine)
    } else {
      show(report, of: cluster.name, in: zone)
    }
    if !report.findings.isEmpty { throw ExitCode.unbalanced }
  }

  private func open(_ cluster: ClusterSettings) throws(ClaimHistoryFailure) -> any ClaimHistory {
    switch cluster.engine {
    case .postgres(let url): try PostgresHistory(url: url, cluster: cluster.name)
    case .etcd(let settings): try EtcdHistory(EtcdAccess(settings), cluster: cluster.name)
    }
  }

  private func audit(
    _ job: JobName, _ archive: LedgerArchive, _ history: any ClaimHistory, _ lease: Duration
  ) throws -> ClusterAudit? {
    let expectation = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.expectation(of: job, zones: ZoneFiles())
    }
    guard let expectation else { return nil }
    let start = max(
      since ?? WallInstant(milliseconds: -1),
      expectation.horizon ?? WallInstant(milliseconds: -1))
    // After the ledger, so that the database has all slots that the ledger is past.
    let engine = try history.slots(of: job, after: start)
    var audit = ClusterAudit(
      job: job, versions: expectation.versions, mark: expectation.mark,
      since: ScheduleInstant(start), engine: engine, patience: lease * 2)
    let records = try archive.orExit {
      [unknown = audit.unknown] (archive)
        throws(LedgerArchive.Failure) in
      try archive.records(of: job, on: unknown)
    }
    audit.settle(records)
    return audit
  }

  private func show(_ report: Report, of name: String, in zone: Zone) {
    for finding in report.findings.prefix(Self.findingsMax) {
      Console.print("\(finding)".printable)
    }
    if report.findings.count > Self.findingsMax {
      Console.print("… and \(report.findings.count - Self.findingsMax) more")
    }
    for (job, until) in report.truncated {
      Console.print(
        "\(job): too many slots; only those until \(until.rfc3339(in: zone)) were checked, use --since"
      )
    }
    let counts = Verdict.Kind.allCases.map { "\($0.rawValue) \(report.verdicts[$0] ?? 0)" }
    var line = "slots \(report.slotCount) = \(counts.joined(separator: " + "))"
    if report.pendingCount > 0 { line += ", and \(report.pendingCount) without a verdict yet" }
    if report.lostCount > 0 {
      line += "; \(report.lostCount) left to other machines, whose records a failover has lost"
    }
    Console.print(line)
    let jobs = report.jobs == 1 ? "1 shared job" : "\(report.jobs) shared jobs"
    let range = since.map { ", since \($0.rfc3339(in: zone))" } ?? ""
    Console.print(
      report.findings.isEmpty
        ? "every slot of \(jobs) in cluster '\(name)' has one verdict\(range)"
        : "not every slot of \(jobs) in cluster '\(name)' has one verdict\(range): "
          + "\(report.findings.count) finding\(report.findings.count == 1 ? "" : "s")")
  }
}

extension ClusterVerification {
  fileprivate struct Report {
    var jobs = 0
    var verdicts: [Verdict.Kind: Int] = [:]
    var pendingCount = 0
    var lostCount = 0
    var findings: [ClusterFinding] = []
    /// The jobs with too many slots, and the end of their check.
    var truncated: [(job: JobName, until: WallInstant)] = []

    var slotCount: Int { verdicts.values.reduce(0, +) }

    /// A job that has never been loaded on this machine adds nothing.
    mutating func add(_ audit: ClusterAudit?) {
      guard let audit else { return }
      jobs += 1
      verdicts.merge(audit.verdicts, uniquingKeysWith: +)
      pendingCount += audit.pendingCount
      lostCount += audit.lostCount
      findings += audit.findings
      if let until = audit.checkedUntil { truncated.append((audit.job, until)) }
    }
  }

  fileprivate struct Answer: Encodable {
    var balanced: Bool
    var jobs: Int
    var slots: Int
    var verdicts: [String: Int]
    var pending: Int
    var since: String?
    var findings: [VerifyAnswer.Finding]
    var finding_count: Int

    init(_ report: Report, since: WallInstant?) {
      balanced = report.findings.isEmpty
      jobs = report.jobs
      slots = report.slotCount
      verdicts = Dictionary(
        uniqueKeysWithValues: Verdict.Kind.allCases.map { ($0.rawValue, report.verdicts[$0] ?? 0) })
      pending = report.pendingCount
      self.since = since?.rfc3339()
      findings = report.findings.prefix(ClusterVerification.findingsMax).map {
        VerifyAnswer.Finding($0.job, kind: $0.kind.rawValue, $0.slots, $0.detail)
      }
      finding_count = report.findings.count
    }
  }
}
