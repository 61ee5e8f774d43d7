import Glibc
import Hummingbird
import NIOCore
import TaktAPI
import TaktCore
import TaktTime

/// takt itself: its status, its figures, and its health.
struct SystemRoutes {
  /// The time limit for a healthy scheduler's queue.
  private static let patience = TimeAmount.seconds(5)

  private static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays zero, whatever the length of the name.
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  let ports: ControlPorts
  let readers: ReaderCount
  let network: NetworkAddress
  private let probe: PhaseProbe

  init(ports: ControlPorts, readers: ReaderCount, network: NetworkAddress) {
    self.ports = ports
    self.readers = readers
    self.network = network
    probe = PhaseProbe(ports.scheduler)
  }

  func add(to routes: inout RouteList) {
    routes.post(
      "/api/v1/drain", needs: .full,
      RouteAbout(
        "drain",
        "Start no new runs; when no run is active any more, the daemon ends, or stays with hold",
        .object(API.Drain.self, "The drain as it is"), .tooLarge
      ).taking(.object(API.DrainOrder.self)), drain)
    routes.post(
      "/api/v1/drain/undo", needs: .full,
      RouteAbout(
        "undoDrain", "Start runs again; missed decides about the slots that have passed",
        .object(API.Drain.self, "Without since: runs start again"), .conflict), undoDrain)
    routes.get(
      "/api/v1/status",
      RouteAbout("status", "The daemon's status", .object(API.Status.self, "The status"))
        .taking(Self.missedSince), status)
    routes.get(
      "/api/v1/address", needs: .socket,
      RouteAbout(
        "address", "The web page's address, with its token; only on the Unix socket",
        .object(API.Address.self, "The address"), .problem(404, "There is no web page")), address)
    routes.get(
      "/metrics", RouteAbout("metrics", "Metrics for Prometheus", .text("The metrics")), metrics)
    routes.get(
      "/healthz", needs: .none,
      RouteAbout(
        "healthz", "Check that the scheduler's queue answers; needs no token", .text("It answers"),
        Self.tooManyProbes, .text("It does not answer", status: 503)
      ), health)
    routes.get(
      "/readyz", needs: .none,
      RouteAbout(
        "readyz", "Check that the jobs run; needs no token", .text("They run"),
        Self.tooManyProbes, .text("Not yet, or no longer", status: 503)
      ), readiness)
  }

  private static let tooManyProbes = RouteAnswer.problem(
    429, "Too many requests without a token; retry after Retry-After seconds")

  private static let missedSince = Parameter.instant(
    "missed_since",
    "Report slots that were missed since this instant as a problem. Default: in the last 24 hours")

  @Sendable private func status(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let missedSince = try context.query[Self.missedSince]
    let (view, unplaced, now) = await ports.query { core, now in
      (core.view, core.unplacedCount, now)
    }
    let events = await ports.readModel.read { (first: $0.ring.first, last: $0.ring.last) }
    let figures = ports.figures()
    let facts = ports.facts
    let changed = await ports.changedFiles(on: context.eventLoop)
    var shown = API.Status()
    shown.version = facts.version
    shown.host = Self.host
    shown.access = context.access.statusWord
    shown.pid = Int(facts.pid)
    shown.started = facts.started
    shown.now = now.wall
    shown.file = facts.file
    shown.stateFolder = facts.stateFolder
    shown.tracking = facts.tracking
    shown.timezone = view.settings.zone.name
    shown.phase = view.phase.rawValue
    shown.jobs = view.jobs
    shown.suspended = view.suspended
    shown.disabled = view.disabled
    shown.failing = view.failing
    shown.stale = view.stale + (await ports.jobsPassing().count)
    shown.alarmFailed = view.alarmFailed
    shown.unplaced = unplaced
    shown.running = view.running
    shown.queued = view.queued
    shown.maxRunning = view.settings.maxRunning
    shown.slots = API.Status.Slots(figures.verdictCounts)
    shown.wakes = figures.wakes
    shown.served = figures.served
    shown.reload = ports.reload.lastReport.map { API.Status.Reload($0) }
    shown.changedFiles = changed.isEmpty ? nil : changed
    shown.ledger = figures.ledger?.words
    shown.ledgerFailing = figures.ledger.map { $0.isFailing || $0.lostEntries > 0 }
    shown.events.first = events.first
    shown.events.last = events.last
    shown.clients = readers.current
    shown.drain = view.drain.map { API.Drain($0) }
    shown.problems = await ProblemList(ports: ports, missedSince: missedSince).problems(
      in: view, ledger: figures.ledger, changed: changed)
    return .json(shown)
  }

  /// For takt's own user only, who may read the token's file anyway.
  @Sendable private func address(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    guard let address = await TokenQueue.perform({ [network] in network.address }) else {
      throw network.problem
    }
    var shown = API.Address()
    shown.address = address
    return .json(shown)
  }

  @Sendable private func metrics(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let passing = await ports.jobsPassing()
    let isPassing = Set(passing)
    let (names, settings) = await ports.query { core, _ in
      let inNeed = core.namesInNeed
      return (
        JobNamesInNeed(
          all: core.jobNames,
          inNeed: [inNeed.failing, inNeed.stale + passing, inNeed.unplaced, inNeed.alarmFailed]),
        core.currentSettings.metrics
      )
    }
    // As many as may have labels, without sorting the others.
    let labelled = names.first(settings.jobs)
    var jobs: [MetricsMoment.Job] = []
    for start in stride(from: 0, to: labelled.count, by: JobList.turnCount) {
      jobs += await labelledJobs(
        labelled[start..<min(start + JobList.turnCount, labelled.count)], passing: isPassing)
    }
    let (scheduler, cluster, now) = await ports.query { core, now in
      (core.view, core.clusterView(at: now), now)
    }
    var view = scheduler
    view.stale += passing.count
    let metrics = await ports.readModel.read { $0.metrics }
    let moment = MetricsMoment(
      scheduler: view, facts: ports.facts, figures: ports.figures(), jobs: jobs, cluster: cluster,
      now: now, clients: readers.current)
    let text = await BusyQueue.perform { metrics.text(moment) }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
  }

  /// The scheduler's and the read model's data on some jobs, few enough that neither delays others.
  private func labelledJobs(
    _ names: ArraySlice<JobName>, passing: Set<JobName>
  ) async -> [MetricsMoment.Job] {
    let jobs = await ports.query { core, now in
      names.map { name in
        let view = core.view(of: name, at: now)
        return MetricsMoment.Job(
          name: name.text, streak: view?.failureStreak ?? 0,
          isStale: view.map { $0.staleSince != nil || passing.contains(name) } ?? false,
          isUnplaced: view?.missingLabels != nil,
          failedAlarms: (view?.alarmFailures ?? [:]).keys.sorted(), nextSlot: view?.next?.due)
      }
    }
    return await ports.readModel.read { state in
      // One copy, not one per job.
      let histories = state.jobs
      return zip(names, jobs).map { name, job in
        guard let history = histories[name] else { return job }
        var job = job
        job.succeededAt = history.succeededAt
        job.cpu = history.cpu
        job.memoryPeakBytes = history.memoryPeakBytes
        if let last = history.last, let at = last.endedAt, let outcome = last.end?.outcome {
          job.lastRun = (at, outcome)
        }
        job.counts = history.counts
        return job
      }
    }
  }

  @Sendable private func health(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    await probe.phase(within: Self.patience, on: context.eventLoop) == nil
      ? .text("the scheduler does not answer\n", status: .serviceUnavailable) : .text("ok\n")
  }

  @Sendable private func readiness(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    guard ports.figures().processes.isResponsive else {
      return .text("processes cannot be started\n", status: .serviceUnavailable)
    }
    return await probe.phase(within: Self.patience, on: context.eventLoop) == .running
      ? .text("ok\n") : .text("the jobs are not running\n", status: .serviceUnavailable)
  }
}

extension API.Status.Slots {
  fileprivate init(_ counts: VerdictCounts) {
    self.init()
    func count(_ kind: Verdict.Kind) -> Int { counts.counts[kind.rawValue] ?? 0 }
    ran = count(.ran)
    skipped = count(.skipped)
    coalesced = count(.coalesced)
    missed = count(.missed)
    cancelled = count(.cancelled)
  }
}

extension API.Status.Reload {
  fileprivate init(_ report: ReloadReport) {
    self.init()
    at = report.at
    outcome = report.plan == nil ? "refused" : "applied"
    kept = report.plan?.keptCount
    changed = report.plan?.steps.count
    let errors = report.diagnostics.filter { $0.severity == .error }
    self.errors = errors.isEmpty ? nil : errors.map { API.Diagnostic($0) }
  }
}

extension Array where Element: Comparable {
  /// At most `count` elements, the smallest, in order.
  func smallest(_ count: Int) -> [Element] {
    if self.count <= count { return sorted() }
    var found: [Element] = []
    for element in self {
      if found.count == count, let last = found.last, element >= last { continue }
      found.insert(element, at: found.partitioningIndex { $0 > element })
      if found.count > count { found.removeLast() }
    }
    return found
  }
}

/// Drain: no new runs, before an update.
extension SystemRoutes {
  @Sendable private func drain(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let stays = try await request.decodeBody(API.DrainOrder.self).hold ?? false
    guard stays || context.isLocal else {
      throw Problem(
        .forbidden, "only a client of the Unix socket may end takt",
        detail: "Send {\"hold\": true}: takt then starts no new runs, and stays.")
    }
    return try await perform(.drain(stays: stays))
  }

  @Sendable private func undoDrain(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    try await perform(.endDrain)
  }

  private func perform(_ command: SchedulerCommand) async throws -> Response {
    let reply = await ports.perform(command)
    guard case .done = reply else { throw Problem(reply) }
    return .json(await ports.query { core, _ in core.drain.map { API.Drain($0) } } ?? API.Drain())
  }
}

extension API.Drain {
  fileprivate init(_ drain: Drain) {
    self.init()
    since = drain.since
    hold = drain.stays
    done = drain.isDone
  }
}
