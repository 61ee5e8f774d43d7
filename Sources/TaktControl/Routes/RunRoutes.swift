import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TaktCore
import TaktTime

/// Runs: listed, looked at, read, cancelled.
struct RunRoutes {
  /// How long a wait for a run's end waits for the ledger besides.
  private static let ledgerPatience = Duration.seconds(5)
  /// So many may follow the output of runs at once: for each that is slow, megabytes wait.
  static let readersMax = 64

  let ports: ControlPorts

  func add(to routes: inout RouteList) {
    let runs = "/api/v1/runs"
    routes.get(runs, list)
    routes.get("\(runs)/{run}", show)
    routes.get("\(runs)/{run}/output", output)
    routes.post("\(runs)/{run}/cancel", cancel)
  }

  @Sendable private func list(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "job", "failed", "hooks", "since", "before", "limit")
    var wanted = try RunQuery(query)
    wanted.before = try query.integer("before", 1...Int.max).map { RunID(UInt64($0)) }
    let limit = wanted.limit
    // One more tells whether there are more.
    wanted.limit += 1
    let runs = try await entries(wanted)
    var json = JSONWriter()
    json.object { json in
      json.key("runs")
      json.array(runs.prefix(limit)) { $0.value($1) }
      if runs.count > limit { json.member("before", runs[limit - 1].run.head.run.number) }
    }
    return .json(json)
  }

  /// The runs that are wanted, the newest first.
  func entries(_ question: RunQuery) async throws -> [RunEntry] {
    let kept = try await ports.fromArchive { (archive) throws(ArchiveError) in
      try archive.runs(question)
    }
    let (known, progress) = await ports.readModel.read { state in
      (state.runs(question), state.progress)
    }
    // What the ledger has not written yet is known here, and better.
    var found = Dictionary((kept ?? []).map { ($0.head.run, $0) }) { first, _ in first }
    for run in known { found[run.head.run] = run }
    let runs = found.values.sorted { $0.head.run > $1.head.run }.prefix(question.limit)
    // Where a run stands that has not ended, the scheduler knows best.
    let open = runs.filter { $0.end == nil }.map(\.head.run)
    let views = await ports.query { core, now in
      Dictionary(
        uniqueKeysWithValues: open.compactMap { run in
          core.view(of: run, at: now).map { (run, RunEntry($0, progress: progress[run])) }
        })
    }
    return runs.map { views[$0.head.run] ?? RunEntry($0) }
  }

  @Sendable func show(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let patience = try Query(request, "wait").integer("wait", 0...60, default: 0)
    let run = try context.run()
    var entry = try await find(run)
    if patience > 0 {
      if entry.state != .ended {
        await waitForEnd(of: run, .seconds(Int64(patience)), on: context.eventLoop)
        entry = try await find(run)
      }
      if entry.state == .ended { await waitForLedger(after: entry, on: context.eventLoop) }
    }
    var json = JSONWriter()
    json.value(entry)
    return .json(json)
  }

  /// Waits until the ledger has a run's end and output: a client that has waited for the end reads them
  /// there next. A ledger that cannot be written keeps nobody waiting for long.
  private func waitForLedger(after entry: RunEntry, on loop: any EventLoop) async {
    guard ports.archive != nil, let endedAt = entry.run.endedAt else { return }
    let now = await ports.query { _, now in now.wall }
    // What ended before that has been written, or cannot be.
    guard now - endedAt < Self.ledgerPatience else { return }
    await ports.whenKept(within: Self.ledgerPatience, on: loop)
  }

  /// Waits until the scheduler no longer knows of a run, or the time is over.
  private func waitForEnd(
    of run: RunID, _ patience: TimeAmount, on loop: any EventLoop
  ) async {
    let (signals, signal) = AsyncStream.makeStream(
      of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    let watch = await ports.readModel.watch { signal.yield(true) }
    defer { ports.readModel.unwatch(watch) }
    // What comes last is what counts: nothing is to hide that the time is over.
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
    _ = try Query(request)
    let run = try context.run()
    switch await ports.perform(.cancelRun(run)) {
    case .done(let runs): return .cancelledRuns(runs)
    case .unknownRun:
      _ = try await find(run)
      throw Problem(.conflict, "run \(run) has ended")
    case let reply: throw Problem(reply)
    }
  }

  @Sendable func output(_ request: Request, _ context: ControlContext) async throws
    -> Response
  {
    let query = try Query(request, "follow", "attempt", "records")
    let asRecords = try query.flag("records")
    let follows = try query.flag("follow")
    let attempt = try query.integer("attempt", 1...Int.max)
    let run = try context.run()
    guard let attempt else {
      if follows, let stream = OutputStream(of: run, from: ports.output, asRecords: asRecords) {
        guard let place = ports.outputReaders.enter(max: Self.readersMax) else {
          throw Problem(
            .tooMany, "there are already \(Self.readersMax) readers of output",
            detail: "Close one, or retry later.")
        }
        return stream.response(to: request, holding: place)
      }
      if !follows, let before = ports.output.soFar(of: run) {
        guard asRecords else { return .output([before]) }
        var records = OutputRecords()
        let lines = records.lines(of: before, attempt: nil)
        return .records(ResponseBody(byteBuffer: ByteBuffer(bytes: lines)))
      }
      _ = try await find(run)
      let kept = try await outputs(of: run)
      return asRecords ? .records(kept) : .output(kept.map(\.output))
    }
    guard !follows else {
      throw Problem(.badRequest, "'follow' and 'attempt' cannot be combined")
    }
    let entry = try await find(run)
    let isBegun = attempt <= entry.run.attempts
    guard isBegun,
      attempt < entry.run.attempts || entry.run.end != nil
        || entry.state == .backingOff
    else {
      throw Problem(
        .notFound,
        isBegun
          ? "attempt \(attempt) of run \(run) has not ended"
          : "run \(run) has no attempt \(attempt)")
    }
    let kept = try await outputs(of: run).filter { $0.attempt == attempt }
    return asRecords ? .records(kept) : .output(kept.map(\.output))
  }

  /// What is kept of what the attempts of a run that have ended have printed, in their order.
  private func outputs(of run: RunID) async throws -> [StoredOutput] {
    // What the ledger has not written yet is known here.
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
  /// The runs that a query wants, but for where to begin.
  init(_ query: Query) throws {
    self.init()
    job = try query.job("job")
    failedOnly = try query.flag("failed")
    withHooks = try query.flag("hooks")
    since = try query.instant("since")
    limit = try query.integer("limit", 1...1000, default: 50)
  }
}

extension LiveOutput {
  /// What a run in progress has printed so far; nil when it is not in progress.
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
  /// What is kept of outputs, one after the other, with a line where something is missing.
  static func output(_ kept: [KeptOutput]) -> Response {
    var response = Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: kept.flatMap(\.shown))))
    response.headers[.droppedBytes] = String(kept.reduce(0) { $0 + $1.droppedBytes })
    return response
  }
}

extension KeptOutput {
  /// All of it, with a line where something is missing.
  var shown: [UInt8] {
    droppedBytes == 0
      ? head + tail : head + Array("\n… \(droppedBytes) bytes are not kept …\n".utf8) + tail
  }
}

extension HTTPField.Name {
  // Both texts are valid names, so that neither is nil.
  /// What was done is not yet in the ledger: a crash of takt would undo it.
  static let isNotKept = HTTPField.Name("Takt-Not-Kept") ?? .age
  static let droppedBytes = HTTPField.Name("Takt-Dropped-Bytes") ?? .age
}
