import Glibc
import Hummingbird
import NIOCore
import TaktCore
import TaktTime

/// takt itself: how it stands, its figures, and whether it lives.
struct SystemRoutes {
  /// A scheduler whose queue does not answer in this time is not well.
  private static let patience = TimeAmount.seconds(5)

  /// The name of this machine.
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
    routes.get("/api/v1/status", status)
    routes.get("/api/v1/address", address)
    routes.get("/metrics", metrics)
    routes.get("/healthz", health)
    routes.get("/readyz", readiness)
    routes.get("/api/v1/openapi.json", description)
  }

  @Sendable private func status(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    _ = try Query(request)
    let (view, now) = await ports.query { core, now in (core.view, now) }
    let events = await ports.readModel.read { (first: $0.ring.first, last: $0.ring.last) }
    let figures = ports.figures()
    let facts = ports.facts
    var json = JSONWriter()
    json.object { json in
      json.member("version", facts.version)
      json.member("host", Self.host)
      json.member("access", context.access.rawValue)
      json.member("pid", facts.pid)
      json.member("started", facts.started)
      json.member("now", now.wall)
      json.member("file", facts.file)
      json.member("state_folder", facts.stateFolder)
      json.member("tracking", facts.tracking)
      json.member("timezone", view.settings.zone.name)
      json.member("phase", view.phase.rawValue)
      json.member("jobs", view.jobs)
      json.member("suspended", view.suspended)
      json.member("disabled", view.disabled)
      json.member("failing", view.failing)
      json.member("stale", view.stale)
      json.member("running", view.running)
      json.member("queued", view.queued)
      json.member("max_running", view.settings.maxRunning)
      json.key("slots")
      json.object { json in
        for name in VerdictCounts.names {
          json.member(name, figures.verdictCounts.counts[name] ?? 0)
        }
      }
      json.member("wakes", figures.wakes)
      json.member("served", figures.served)
      if let report = ports.reload.lastReport {
        json.key("reload")
        json.value(last: report)
      }
      json.member("ledger", figures.ledger?.words)
      if let ledger = figures.ledger {
        json.key("ledger_failing")
        json.value(ledger.isFailing || ledger.lostEntries > 0)
      }
      json.key("events")
      json.object { json in
        json.member("first", events.first)
        json.member("last", events.last)
      }
      json.member("clients", readers.current)
    }
    return .json(json)
  }

  /// For its own user alone, who may read the token's file anyway.
  @Sendable private func address(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    _ = try Query(request)
    guard context.isLocal else {
      throw Problem(.forbidden, "the address is available only on the Unix socket")
    }
    guard let address = await TokenQueue.perform({ [network] in network.address }) else {
      throw Problem(
        .notFound, "the web page is off",
        detail: "Add 'http: {listen: 8080}' under 'scheduler' and restart takt.")
    }
    var json = JSONWriter()
    json.object { $0.member("address", address) }
    return .json(json)
  }

  @Sendable private func metrics(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    _ = try Query(request)
    let names = await ports.query { core, _ in Array(core.jobNames) }
    // As many as there are labels for, without sorting the others.
    let labelled = Array(names.smallest(Metrics.labelledJobsMax))
    let (view, jobs, cluster, now) = await ports.query { core, now in
      let jobs = labelled.map { name in
        let view = core.view(of: name, at: now)
        return MetricsMoment.Job(
          name: name.text, streak: view?.failureStreak ?? 0,
          isStale: view?.spec.policies.freshFor == nil ? nil : view?.staleSince != nil)
      }
      return (core.view, jobs, core.clusterView(at: now), now)
    }
    let (figures, facts, clients) = (ports.figures(), ports.facts, readers.current)
    let text = await ports.readModel.read { state in
      var jobs = jobs
      for (place, name) in labelled.enumerated() {
        guard let history = state.jobs[name] else { continue }
        jobs[place].succeededAt = history.succeededAt
        jobs[place].cpu = history.cpu
        jobs[place].memoryPeakBytes = history.memoryPeakBytes
      }
      return state.metrics.text(
        MetricsMoment(
          scheduler: view, facts: facts, figures: figures, jobs: jobs, cluster: cluster,
          now: now, clients: clients))
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
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

  @Sendable private func description(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    _ = try Query(request)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: PageFiles.api)))
  }
}

extension JSONWriter {
  fileprivate mutating func value(last report: ReloadReport) {
    object { json in
      json.member("at", report.at)
      json.member("outcome", report.plan == nil ? "refused" : "applied")
      json.member("kept", report.plan?.keptCount)
      json.member("changed", report.plan?.steps.count)
      let errors = report.diagnostics.filter { $0.severity == .error }
      guard !errors.isEmpty else { return }
      json.key("errors")
      json.array(errors) { $0.value($1) }
    }
  }
}

extension Array where Element: Comparable {
  /// The smallest elements in order, at most so many.
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
