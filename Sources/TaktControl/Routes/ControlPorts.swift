import NIOCore
package import TaktCore
import TaktTime

/// The control's interfaces to the rest of takt.
package struct ControlPorts: Sendable {
  package var scheduler: any SchedulerControl
  package var reload: any ReloadControl
  /// Accepts jobs that run once.
  package var once: any OnceControl
  /// The stored runs; nil without a ledger.
  package var archive: (any RunArchive)?
  package var output: any LiveOutput
  /// The connection to the other machines of the cluster; nil without one.
  package var machines: ClusterMachines?
  package var catalogue: any ActionCatalogue
  package var readModel: ControlReadModel
  package var facts: DaemonFacts
  /// Figures that other parts count; called on the control's thread.
  package var figures: @Sendable () -> DaemonFigures
  /// Receives a line about each change by a user whom the proxy has logged in.
  package var log: @Sendable (String) -> Void = { _ in }
  /// The readers of runs' output, on all listeners together.
  let outputReaders = ReaderCount()

  package init(
    scheduler: any SchedulerControl, reload: any ReloadControl, once: any OnceControl,
    archive: (any RunArchive)?,
    output: any LiveOutput, machines: ClusterMachines? = nil, catalogue: any ActionCatalogue,
    readModel: ControlReadModel, facts: DaemonFacts,
    figures: @escaping @Sendable () -> DaemonFigures
  ) {
    self.scheduler = scheduler
    self.reload = reload
    self.once = once
    self.archive = archive
    self.output = output
    self.machines = machines
    self.catalogue = catalogue
    self.readModel = readModel
    self.facts = facts
    self.figures = figures
  }
}

extension ControlPorts {
  func query<Value: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      scheduler.query(question) { continuation.resume(returning: $0) }
    }
  }

  func perform(_ command: SchedulerCommand) async -> SchedulerReply {
    await withCheckedContinuation { continuation in
      scheduler.perform(command) { continuation.resume(returning: $0) }
    }
  }

  /// Waits until everything so far is in the ledger, so that a crash does not undo what a client
  /// was told is done; at most this long while the ledger's disk does not answer. Returns true if
  /// it is stored, as far as there is a ledger.
  ///
  /// - Parameter loop: counts the time. A task that sleeps would use the system's shared pool,
  ///   which wakes the process once a second from then on.
  @discardableResult
  func whenKept(within patience: Duration = .seconds(2), on loop: any EventLoop) async -> Bool {
    guard archive != nil else { return figures().ledger?.isFailing != true }
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    let timeout = loop.scheduleTask(in: .milliseconds(patience.milliseconds)) {
      answer.yield(false)
    }
    readModel.whenKept { answer.yield(true) }
    defer { timeout.cancel() }
    for await isKept in answers { return isKept }
    return false
  }

  /// The files of the running jobs that have changed since they were read; empty if a file system
  /// does not answer within a moment.
  func changedFiles(on loop: any EventLoop) async -> [String] {
    let (answers, answer) = AsyncStream.makeStream(of: [String].self)
    let timeout = loop.scheduleTask(in: .milliseconds(500)) { answer.yield([]) }
    reload.changedFiles { answer.yield($0) }
    defer { timeout.cancel() }
    for await changed in answers { return changed }
    return []
  }

  /// Reads the ledger, away from the control's own thread.
  ///
  /// - Parameter walks: true to read much of the ledger, on the archive's connection for that.
  func fromArchive<Value: Sendable>(
    walks: Bool = false,
    _ body: @escaping @Sendable (any RunArchive) throws(ArchiveError) -> Value
  ) async throws -> Value? {
    guard let archive else { return nil }
    let read: @Sendable () -> Result<Value, ArchiveError> = {
      Result { () throws(ArchiveError) in try body(archive) }
    }
    let result = try await walks ? WalkQueue.shared.perform(read) : SlowQueue.perform(read)
    do {
      return try result.get()
    } catch {
      throw Problem(.unavailable, "the ledger cannot be read", detail: error.message)
    }
  }

  /// Distinguishes an unknown name from a job without such slots. The ledger may know a job that
  /// the jobs file no longer has.
  func requireKnown(_ job: JobName) async throws {
    if await query({ core, now in core.view(of: job, at: now) != nil }) { return }
    var slot = SlotQuery()
    slot.job = job
    slot.limit = 1
    let any = slot
    let kept = try await fromArchive { (archive) throws(ArchiveError) in
      try archive.slots(any)
    }
    if kept?.isEmpty != false { throw await noJob(job.text) }
  }

  /// The reason why there is nothing to read.
  var noLedger: Problem {
    guard let ledger = figures().ledger, ledger.isFailing else {
      return Problem(.notFound, "there is no ledger: 'state' is none")
    }
    return Problem(.notFound, "there is no ledger", detail: ledger.words)
  }

  func job(_ name: JobName) async throws -> JobEntry {
    let view = await query { core, now in core.view(of: name, at: now) }
    guard let view else { throw await noJob(name.text) }
    return await readModel.read { JobEntry(view, in: $0) }
  }

  /// The existing jobs among these names: at most as many as one turn of the scheduler's queue
  /// allows.
  func entries(of names: [JobName]) async -> [JobEntry] {
    let views = await query { core, now in names.compactMap { core.view(of: $0, at: now) } }
    return await readModel.read { state in views.map { JobEntry($0, in: state) } }
  }

  /// The jobs that are stale (`JobEntry.isStale`) because their slots pass without a run, in no
  /// order; without those that are stale by `expect_success_within`, which the scheduler counts.
  func jobsPassing() async -> [JobName] {
    let names = await readModel.read { $0.jobsPassing }
    var found: [JobName] = []
    for start in stride(from: 0, to: names.count, by: JobList.turnCount) {
      let turn = names[start..<min(start + JobList.turnCount, names.count)]
      found += await query { core, _ in core.servedInTime(of: turn) }
    }
    return found
  }

  func noJob(_ name: String) async -> Problem {
    if let family = JobName(name), let words = await members(of: family) {
      return Problem(.notFound, "there is no job '\(name)'", detail: words)
    }
    let names = await query { core, _ in core.jobNames + core.familyNames }
    let nearest = await SlowQueue.perform {
      NearestName.of(name, among: names.lazy.map(\.text))
    }
    return Problem(
      .notFound, "there is no job '\(name)'", detail: nearest.map { "Did you mean '\($0)'?" })
  }

  /// The first jobs that the `for_each` of a definition makes; nil without such a definition.
  private func members(of family: JobName) async -> String? {
    let shown = 5
    let page = await JobList(after: nil, limit: shown, match: nil, state: nil, family: family)
      .page(from: self)
    if page.jobs.isEmpty { return nil }
    let names = page.jobs.map(\.view.spec.name.text)
    return UnknownName.words(family: family.text, names, total: page.total) + "."
  }
}
