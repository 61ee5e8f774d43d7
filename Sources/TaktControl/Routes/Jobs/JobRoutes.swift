import Hummingbird
import NIOCore
import TaktAPI
import TaktCore
import TaktSystem
import TaktTime

struct JobRoutes {
  static let transitionsMax = 50
  static let slotsShown = 10

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    let jobs = "/api/v1/jobs"
    routes.get(
      jobs,
      RouteAbout(
        "listJobs",
        "List jobs by name. With Accept: text/plain, a table for a terminal, those first that need somebody",
        .object(API.JobPage.self, "A page of jobs").orText()
      ).taking(
        JobList.after, JobList.limit, JobList.match, JobList.state, JobList.family, Self.width,
        Self.durations, Self.group), list)
    routes.get(
      "\(jobs)/{job}",
      RouteAbout("getJob", "One job", .object(API.JobDetail.self, "The job"), .notFound), show)
    routes.get(
      "\(jobs)/{job}/slots",
      RouteAbout(
        "listSlots", "The next slots of a job", .object(API.SlotList.self, "The slots"), .notFound
      ).taking(Self.count), slots)
    routes.get(
      "\(jobs)/{job}/forecast",
      RouteAbout(
        "forecastSlots", "The slots of a job in a range to come, and what may hold them up",
        .object(API.Forecast.self, "The first five slots of the range"), .notFound
      ).taking(Self.from, Self.until), forecast)
    routes.post("\(jobs)/{job}/trigger", needs: .operate, Self.trigger, trigger)
    routes.post(
      "\(jobs)/{job}/suspend", needs: .operate,
      RouteAbout(
        "suspend", "Suspend a job: its slots become skipped(suspended)",
        .object(API.Job.self, "The job"), .notFound, .conflict, .tooLarge
      ).taking(.object(API.Suspend.self)), suspend)
    routes.post(
      "\(jobs)/{job}/resume", needs: .operate,
      RouteAbout(
        "resume", "Resume a suspended job", .object(API.Job.self, "The job"), .notFound, .conflict),
      resume)
    routes.post(
      "\(jobs)/{job}/cancel", needs: .operate,
      RouteAbout(
        "cancelJob", "Cancel all active and waiting runs of a job",
        .object(API.Cancelled.self, "The cancelled runs"), .notFound), cancel)
  }

  private static let trigger = RouteAbout(
    "trigger",
    "Run a job now, in addition to its schedule and following its overlap; 409 with the code overlap "
      + "if that refuses it", .object(API.Run.self, "The run", status: 202), .notFound, .conflict,
    .tooLarge
  ).taking(.object(API.Trigger.self))

  private static let width = Parameter.integer(
    "width", 20...1000, default: 120, "The terminal's width in columns, for the table")
  private static let durations = Parameter.flag(
    "durations", "Add the durations of the last runs of each job")
  private static let group = Parameter.flag(
    "group",
    "Show the jobs of one for_each as one line of the table; JSON has all jobs, each with for_each")
  private static let count = Parameter.integer("n", 1...1000, default: 10, "The number of slots")
  private static let from = Parameter.instant(
    "from", "The start of the range; slots before now are left out", isFuture: true,
    isRequired: true)
  private static let until = Parameter.instant(
    "until", "The end of the range. Default a minute after its start", isFuture: true)

  @Sendable private func list(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let state = try query[JobList.state]
    let (width, isFolded) = (try query[Self.width], try query[Self.group])
    let withDurations = try query[Self.durations]
    let wanted = JobList(
      after: try query[JobList.after]?.text, limit: try query[JobList.limit],
      match: try query[JobList.match], state: state, family: try query[JobList.family])
    if request.headers[.accept]?.hasPrefix("text/plain") == true {
      return .text(await table(of: wanted, width: width, isFolded: isFolded, on: context.eventLoop))
    }
    return .json(await wanted.page(from: ports).shown(withDurations: withDurations))
  }

  private func table(
    of wanted: JobList, width: Int, isFolded: Bool, on loop: any EventLoop
  ) async -> [UInt8] {
    let now = await ports.query { _, now in now.wall }
    var table = StatusTable(width: width, now: now)
    var fold = JobFold()
    let extent = await wanted.visit(from: ports) { job in
      if isFolded { fold.add(job) } else { table.add(job) }
    }
    for line in fold.lines {
      switch line {
      case .job(let job): table.add(job)
      case .family(let place): table.add(fold.families[place])
      }
    }
    var text = await BusyQueue.perform { [table] in table.text }
    if let after = extent.after {
      text.append(utf8: "… more: \(extent.total) in all, the next ones after \(after)\n")
    }
    text.append(utf8: "\(table.sumWords)\n")
    let view = await ports.query { core, _ in core.view }
    if let words = view.stopWords { text.append(utf8: "\(words)\n") }
    if wanted.isUnfiltered {
      if let cluster = await ports.query({ core, now in core.clusterView(at: now) }) {
        text.append(utf8: "cluster: \(cluster.summary.printable)\n")
      }
      // The reason for this way is in `GET /api/v1/status` and in the log.
      let tracking = ports.facts.tracking.split(separator: " (", maxSplits: 1)
      text.append(utf8: "processes tracked by \(tracking.first ?? "")\n")
    }
    return text
  }

  @Sendable private func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    let job = try await ports.job(name)
    let previewInput = await ports.query { core, now in core.previewInput(of: name, at: now) }
    let slots = previewInput?.slots(count: Self.slotsShown) ?? []
    let machine = LogValue.machine(.timer(.job(name)))
    let transitions = await ports.readModel.read { state in
      state.ring.newest(Self.transitionsMax) { $0.event == .timer && $0[.machine] == machine }
        .map { event in
          var json: [UInt8] = []
          event.record.appendJSON(to: &json, number: event.number)
          return json
        }
    }
    var shown = API.JobDetail()
    shown.job = API.Job(job)
    shown.slots = slots.map { API.Slot($0) }
    shown.transitions = transitions.map { Relayed(API.Event(), as: $0[...]) }
    let spec = job.view.spec
    shown.action = spec.action.name
    shown.params = spec.policies.params.map { API.Param($0) }
    let direct =
      StandardShell.installed.map { shell in spec.directPaths { shell.foresees($0, $1) } } ?? []
    func part(_ shown: HiddenValue) -> API.JobDetail.Part {
      var part = API.JobDetail.Part(path: shown.path, text: shown.shown)
      if direct.contains(part.path) { part.direct = true }
      return part
    }
    shown.command = spec.action.shownParts.map(part)
    // Only values whose names look secret are masked.
    if context.access >= .full {
      shown.surroundings = JobKey.surroundings(of: spec).map(part)
    }
    shown.scheduleWords = spec.timing.schedule.words
    let standard = JobKey.standardFacts(inFolderOf: ports.facts.file)
    shown.keys = JobKey.facts(of: spec).map { fact in
      var key = API.JobDetail.Key()
      key.key = fact.key
      key.text = fact.text
      if standard[fact.key] == fact.text { key.default = true }
      return key
    }
    return .json(shown)
  }

  @Sendable private func slots(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let count = try context.query[Self.count]
    let name = try context.job()
    _ = try await ports.job(name)
    let previewInput = await ports.query { core, now in core.previewInput(of: name, at: now) }
    var shown = API.SlotList()
    shown.slots = (previewInput?.slots(count: count) ?? []).map { API.Slot($0) }
    return .json(shown)
  }

  @Sendable private func forecast(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let name = try context.job()
    guard let from = try query[Self.from] else {
      throw Problem(
        .badRequest, "'from' is missing",
        detail: "It takes an instant; slots before now are left out.")
    }
    let until = try query[Self.until] ?? from + .seconds(60)
    guard until > from else { throw Problem(.badRequest, "'until' is not after 'from'") }
    let (input, now) = await ports.query { core, now in
      (core.forecastInput(of: name, at: now), now.wall)
    }
    guard until > now else { throw Problem(.badRequest, "'until' is not in the future") }
    guard let input else { throw await ports.noJob(name.text) }
    let forecast = await SlowQueue.perform { input.forecast(from: max(from, now), to: until) }
    return .json(API.Forecast(forecast))
  }

  @Sendable func trigger(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    let body = try await request.decodeBody(API.Trigger.self)
    let slot = try body.slot.map { try Query.instant($0, of: "slot") }
    let view = try await ports.job(name).view
    let parameters = try ParameterText(catalogue: ports.catalogue, way: context.way)
      .parameters(body.parameters ?? [:], for: view.spec)
    let isForced = body.force ?? false
    let command: SchedulerCommand
    if body.backfill == true {
      guard let slot else { throw Problem(.badRequest, "'backfill' needs 'slot'") }
      command = .backfill(
        name, slot: slot, parameters: parameters, isForced: isForced,
        isAgain: body.again ?? false)
    } else {
      if body.again != nil { throw Problem(.badRequest, "'again' needs 'backfill'") }
      command = .trigger(name, slot: slot, parameters: parameters, isForced: isForced)
    }
    let reply = await ports.perform(command)
    guard case .done(let runs) = reply, let run = runs.first else {
      throw await problem(of: reply, name)
    }
    let (seen, now) = await ports.query { core, now in (core.view(of: run, at: now), now) }
    // It may have ended already.
    let known = await ports.readModel.read { $0.run(run) }
    let entry =
      seen.map { RunEntry($0) } ?? known.map { RunEntry($0) }
      ?? RunEntry(
        StoredRun(
          RunHead(
            run: run, job: name, slot: slot ?? now.wall,
            kind: body.backfill == true ? .backfill : .manual),
          parameters: parameters.shown.isEmpty ? nil : Shared(parameters.shown)),
        state: .queued)
    return .json(API.Run(entry), status: .accepted)
  }

  @Sendable private func suspend(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    let body = try await request.decodeBody(API.Suspend.self)
    let reason = body.reason ?? ""
    guard reason.unicodeScalars.count <= 1000 else {
      throw Problem(.badRequest, "'reason' takes at most 1000 characters")
    }
    let now = await ports.query { _, now in now.wall }
    return try await show(
      name, after: .suspend(name, until: try body.end(at: now), reason: reason),
      on: context.eventLoop)
  }

  @Sendable private func resume(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    return try await show(name, after: .resume(name), on: context.eventLoop)
  }

  @Sendable func cancel(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let name = try context.job()
    if await ports.removeOnce(name) {
      return await ports.answer(
        .cancelledRuns([], isRemoved: true), whenKeptOn: context.eventLoop)
    }
    let reply = await ports.perform(.cancelJob(name))
    guard case .done(let runs) = reply else { throw await problem(of: reply, name) }
    return .cancelledRuns(runs)
  }

  /// Performs a command, and shows the job afterwards, once it is stored.
  private func show(
    _ name: JobName, after command: SchedulerCommand, on loop: any EventLoop
  ) async throws -> Response {
    let reply = await ports.perform(command)
    guard case .done = reply else { throw await problem(of: reply, name) }
    let entry = try await ports.job(name)
    return await ports.answer(.json(API.Job(entry)), whenKeptOn: loop)
  }

  private func problem(of reply: SchedulerReply, _ name: JobName) async -> Problem {
    if case .unknownJob = reply { return await ports.noJob(name.text) }
    return Problem(reply)
  }
}

extension Problem {
  /// The problem for a command that the scheduler refused.
  init(_ reply: SchedulerReply) {
    switch reply {
    case .unknownJob: self.init(.notFound, "there is no such job")
    case .unknownRun: self.init(.notFound, "no run with this number is active or waiting")
    case .notSuspended: self.init(.conflict, "the job is not suspended")
    case .past: self.init(.badRequest, "the suspension would end before it starts")
    case .future: self.init(.badRequest, "the slot is to come; a backfill is for slots of the past")
    case .tooMany:
      self.init(
        .conflict, "too many runs of the job are waiting", detail: "Cancel some of them.")
    case .overlapping(let run):
      self.init(
        .overlap, "run \(run) of the job has not ended, and its overlap is skip",
        detail: "Wait for it, cancel it, or force the new run: 'takt trigger --force', or "
          + "\"force\": true in the body.")
    case .draining:
      self.init(
        .stopping, "takt is drained, and starts no runs",
        detail: "'takt drain --undo' lets it start runs again.")
    case .notDraining: self.init(.conflict, "takt is not draining")
    case .unavailable: self.init(.stopping, "takt is starting or stopping")
    case .done: self.init(.internalError, "internal error")
    }
  }
}

extension Response {
  /// - Parameter isRemoved: true if the job itself is gone: one that runs once, before its run.
  static func cancelledRuns(_ runs: [RunID], isRemoved: Bool = false) -> Response {
    var cancelled = API.Cancelled()
    cancelled.runs = runs.map(\.number)
    cancelled.removed = isRemoved ? true : nil
    return .json(cancelled)
  }
}

extension Action {
  /// The kind of action in a word.
  var name: String {
    switch self {
    case .shell: "shell"
    case .argv: "argv"
    case .use(let name, _): name
    case .plugin(let manifest, _): manifest.name
    case .steps: "steps"
    }
  }
}

extension ControlPorts {
  /// The answer after a change, once it is stored. Otherwise, a header says that it is not.
  func answer(_ response: Response, whenKeptOn loop: any EventLoop) async -> Response {
    guard await !whenKept(on: loop) else { return response }
    var response = response
    response.headers[.isNotKept] = "true"
    return response
  }
}
