import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TaktAPI
import TaktCore
import TaktTime

struct RunRoutes {
  /// The extra time that a wait for a run's end gives the ledger.
  private static let ledgerPatience = Duration.seconds(5)
  /// The most readers of runs' output at once: each slow one holds megabytes.
  static let readersMax = 64

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    let runs = "/api/v1/runs"
    routes.get(
      runs,
      RouteAbout(
        "listRuns", "List runs, newest first", .object(API.RunPage.self, "A page of runs")
      ).taking(
        RunParameter.job, RunParameter.failed, RunParameter.hooks, RunParameter.since, Self.before,
        RunParameter.limit),
      list)
    routes.get(
      "\(runs)/{run}",
      RouteAbout("getRun", "One run", .object(API.Run.self, "The run"), .notFound)
        .taking(Self.wait), show)
    routes.get(
      "\(runs)/{run}/output",
      RouteAbout(
        "getOutput",
        "The output of a run as bytes, with secrets masked; with follow, until the run ends. With "
          + "records, a line of JSON for each piece",
        .text("The output").orLines(of: API.OutputRecord.self), .notFound,
        .problem(429, "Too many readers follow the output of runs")
      ).taking(Self.follow, Self.attempt, Self.records), output)
    routes.post(
      "\(runs)/{run}/cancel", needs: .operate,
      RouteAbout(
        "cancelRun", "Cancel a run", .object(API.Cancelled.self, "The cancelled runs"), .notFound,
        .conflict), cancel)
  }

  private static let before = Parameter.integer(
    "before", 1...Int.max, "Only runs with smaller numbers")
  private static let wait = Parameter.integer(
    "wait", 0...60, default: 0, "How many seconds to wait for the run to end before answering")
  private static let follow = Parameter.flag(
    "follow", "Continue with new output until the run ends")
  static let attempt = Parameter.integer(
    "attempt", 1...Int.max,
    "Only this attempt, which must have ended. Default: all attempts in order. Not with follow")
  private static let records = Parameter.flag(
    "records", "A line of JSON for each piece of output, with its attempt, stream and time")

  @Sendable private func list(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    var wanted = try RunQuery(context.query)
    wanted.before = try context.query[Self.before].map { RunID(UInt64($0)) }
    let limit = wanted.limit
    // One more tells if there are more.
    wanted.limit += 1
    let runs = try await entries(wanted)
    var page = API.RunPage()
    page.runs = runs.prefix(limit).map { API.Run($0) }
    if runs.count > limit { page.before = page.runs.last?.run }
    return .json(page)
  }

  /// The runs that match, newest first.
  func entries(_ question: RunQuery) async throws -> [RunEntry] {
    let kept = try await ports.fromArchive { (archive) throws(ArchiveError) in
      try archive.runs(question)
    }
    let (known, progress) = await ports.readModel.read { state in
      (state.runs(question), state.progress)
    }
    // Entries that the ledger has not written yet are known here, and more recent.
    var found = Dictionary((kept ?? []).map { ($0.head.run, $0) }) { first, _ in first }
    for run in known { found[run.head.run] = run }
    let runs = found.values.sorted { $0.head.run > $1.head.run }.prefix(question.limit)
    // The scheduler knows the state of runs that have not ended.
    let open = runs.filter { $0.end == nil }.map(\.head.run)
    let views = await ports.query { core, now in
      Dictionary(
        uniqueKeysWithValues: open.compactMap { run in
          core.view(of: run, at: now).map { (run, RunEntry($0, progress: progress[run])) }
        })
    }
    return runs.map { views[$0.head.run] ?? RunEntry($0) }
  }

  @Sendable private func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    try await show(context.run(), waiting: context.query[Self.wait], on: context.eventLoop)
  }

  /// - Parameter seconds: the wait for its end.
  func show(_ run: RunID, waiting seconds: Int, on loop: any EventLoop) async throws -> Response {
    var entry = try await find(run)
    if seconds > 0 {
      if entry.state != .ended {
        await waitForEnd(of: run, .seconds(Int64(seconds)), on: loop)
        entry = try await find(run)
      }
      if entry.state == .ended { await waitForLedger(after: entry, on: loop) }
    }
    return .json(API.Run(entry))
  }

  /// Waits until the ledger has a run's end and output: a client that has waited for the end reads
  /// them there next. A ledger that cannot be written delays nobody for long.
  private func waitForLedger(after entry: RunEntry, on loop: any EventLoop) async {
    guard ports.archive != nil, let endedAt = entry.run.endedAt else { return }
    let now = await ports.query { _, now in now.wall }
    // Earlier ends have been written, or cannot be.
    guard now - endedAt < Self.ledgerPatience else { return }
    await ports.whenKept(within: Self.ledgerPatience, on: loop)
  }

  /// Waits until the run is unknown to the scheduler, or the time is over.
  private func waitForEnd(of run: RunID, _ patience: TimeAmount, on loop: any EventLoop) async {
    let (signals, signal) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let watch = await ports.readModel.watch { signal.yield(true) }
    defer { ports.readModel.unwatch(watch) }
    // The last element wins: nothing must hide the end of the time.
    let timeout = loop.scheduleTask(in: patience) { signal.finish() }
    defer { timeout.cancel() }
    signal.yield(true)
    for await _ in signals {
      let isKnown = await ports.query { core, now in core.view(of: run, at: now) != nil }
      if !isKnown { return }
    }
  }

  @Sendable func cancel(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let run = try context.run()
    switch await ports.perform(.cancelRun(run)) {
    case .done(let runs): return .cancelledRuns(runs)
    case .unknownRun:
      _ = try await find(run)
      throw Problem(.conflict, "run \(run) has ended")
    case let reply: throw Problem(reply)
    }
  }

  @Sendable private func output(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = context.query
    let asRecords = try query[Self.records]
    let follows = try query[Self.follow]
    let attempt = try query[Self.attempt]
    let run = try context.run()
    guard follows else { return try await output(of: run, attempt: attempt, asRecords: asRecords) }
    guard attempt == nil else {
      throw Problem(.badRequest, "'follow' and 'attempt' cannot be combined")
    }
    guard let stream = OutputStream(of: run, from: ports.output, asRecords: asRecords) else {
      _ = try await find(run)
      let kept = try await outputs(of: run)
      return asRecords ? .records(kept) : .output(kept.map(\.output))
    }
    guard let place = ports.outputReaders.enter(max: Self.readersMax) else {
      throw Problem(
        .tooMany, "there are already \(Self.readersMax) readers of output",
        detail: "Close one, or retry later.")
    }
    return stream.response(to: request, holding: place)
  }

  /// The output so far of a run's attempts, or of one that has ended.
  func output(of run: RunID, attempt: Int?, asRecords: Bool = false) async throws -> Response {
    if attempt == nil, let before = ports.output.soFar(of: run) {
      guard asRecords else { return .output([before]) }
      var records = OutputRecords()
      let lines = records.lines(of: before, attempt: nil)
      return .records(ResponseBody(byteBuffer: ByteBuffer(bytes: lines)))
    }
    let entry = try await find(run)
    if let attempt {
      let isBegun = attempt <= entry.run.attempts
      guard isBegun,
        attempt < entry.run.attempts || entry.run.end != nil || entry.state == .backingOff
      else {
        throw Problem(
          .notFound,
          isBegun
            ? "attempt \(attempt) of run \(run) has not ended"
            : "run \(run) has no attempt \(attempt)")
      }
    }
    let kept = try await outputs(of: run).filter { attempt == nil || $0.attempt == attempt }
    return asRecords ? .records(kept) : .output(kept.map(\.output))
  }

  /// The stored output of a run's ended attempts, in order.
  private func outputs(of run: RunID) async throws -> [StoredOutput] {
    // Output that the ledger has not written yet is known here.
    let recent = await ports.readModel.read { $0.outputs[run] }
    let kept: [StoredOutput]
    do {
      kept =
        try await ports.fromArchive { (archive) throws(ArchiveError) in
          try archive.outputs(of: run)
        } ?? []
    } catch {
      if recent.isEmpty { throw error }
      kept = []
    }
    let all = Dictionary((kept + recent).map { ($0.attempt, $0) }) { $1 }
    return all.values.sorted { $0.attempt < $1.attempt }
  }

  private func find(_ run: RunID) async throws -> RunEntry {
    let view = await ports.query { core, now in core.view(of: run, at: now) }
    let (known, progress) = await ports.readModel.read { ($0.run(run), $0.progress[run]) }
    if let view { return RunEntry(view, progress: progress) }
    if let known { return RunEntry(known) }
    let kept = try await ports.fromArchive { (archive) throws(ArchiveError) in
      try archive.run(run)
    }
    guard let stored = kept.flatMap(\.self) else {
      throw Problem(.notFound, "there is no run \(run)")
    }
    return RunEntry(stored)
  }
}

extension RunQuery {
  /// Everything from the query except the place to start.
  init(_ query: Query) throws {
    self.init()
    job = try query[RunParameter.job]
    failedOnly = try query[RunParameter.failed]
    withHooks = try query[RunParameter.hooks]
    since = try query[RunParameter.since]
    limit = try query[RunParameter.limit]
  }
}

enum RunParameter {
  static let job = Parameter.job("job", "Only of this job")
  static let failed = Parameter.flag(
    "failed", "Only those that failed, timed out or were interrupted")
  static let hooks = Parameter.flag("hooks", "Include hooks")
  static let since = Parameter.instant(
    "since", "Only runs that started or ended at this instant or later")
  static let limit = Parameter.integer("limit", 1...1000, default: 50, "Maximum number")
}

extension LiveOutput {
  /// The output so far of a run in progress; nil for any other.
  fileprivate func soFar(of run: RunID) -> KeptOutput? {
    let box = Mutex<KeptOutput?>(nil)
    guard
      let use = follow(
        run,
        deliver: { event in
          if case .before(let kept) = event { box.withLock { $0 = kept } }
        })
    else { return nil }
    unfollow(use)
    return box.withLock { $0 }
  }
}

extension Response {
  /// Stored outputs in sequence, with a line at each gap.
  static func output(_ kept: [KeptOutput]) -> Response {
    var response = Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: kept.flatMap(\.shown))))
    response.headers[.droppedBytes] = String(kept.reduce(0) { $0 + $1.droppedBytes })
    return response
  }
}

extension KeptOutput {
  /// All of it, with a line at a gap.
  var shown: [UInt8] {
    droppedBytes == 0
      ? head + tail : head + Array("\n… \(droppedBytes) bytes are not kept …\n".utf8) + tail
  }
}

extension HTTPField.Name {
  // Both texts are valid names, so that neither is nil.
  /// The change is not yet in the ledger: a crash of takt would undo it.
  static let isNotKept = HTTPField.Name("Takt-Not-Kept") ?? .age
  static let droppedBytes = HTTPField.Name("Takt-Dropped-Bytes") ?? .age
}
