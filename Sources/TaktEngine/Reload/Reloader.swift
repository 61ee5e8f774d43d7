import Dispatch
import Synchronization
package import TaktCore
package import TaktTime

/// Reads the jobs files again and passes the scheduler a plan. Everything is read and checked off
/// the scheduler's queue; an invalid file changes nothing.
///
/// Safe from any thread. Requests that come while one waits are combined with it.
package final class Reloader: ReloadControl {
  let source: any SnapshotSource
  let observer: any Observer
  let ledger: any Ledger
  let time: any TimeSource
  let apply: @Sendable (ReloadPlan) -> Void
  private let onBegin: @Sendable () -> Void
  private let onRefused: @Sendable () -> Void
  private let onLoaded: @Sendable (FilesRead) -> Void
  private let onDone: @Sendable (ReloadReport) -> Void
  let queue = DispatchQueue(label: "takt.reload", qos: .utility)
  let current: Mutex<Snapshot>
  let once: Mutex<OnceJobs>
  let containers: Mutex<ContainerJobs>
  private let watchedPaths: Mutex<[String]>
  /// The files from which the running jobs were read.
  let runningFiles: Mutex<FilesRead?>
  /// The callers that wait for a check of those; nil if none is in progress.
  let lookers = Mutex<[@Sendable ([String]) -> Void]?>(nil)
  private let last = Mutex<ReloadReport?>(nil)
  /// The callers that wait for the requested reload; nil without one.
  private let waiting = Mutex<[@Sendable (ReloadReport) -> Void]?>(nil)

  /// The number of a file's errors that the ledger keeps.
  private static let refusalsMax = 20

  /// A reloader that starts from `current`, which came from the files at `watchedPaths`.
  ///
  /// - Parameters:
  ///   - once: jobs that run once; they are in `current`, too.
  ///   - containers: jobs of containers' labels, which are in `current` as well.
  ///   - files: the files of `current`; nil if not known.
  ///   - apply: takes each plan, on the reloader's queue.
  ///   - onBegin: called when a reload starts.
  ///   - onRefused: called when it is refused.
  ///   - onLoaded: gets the files to watch after each attempt, good or bad.
  ///   - onDone: gets the report of each attempt.
  package init(
    current: Snapshot, once: OnceJobs = OnceJobs(),
    containers: ContainerJobs = ContainerJobs(), files: FilesRead? = nil,
    watchedPaths: [String], source: any SnapshotSource, observer: any Observer,
    ledger: any Ledger, time: any TimeSource,
    apply: @escaping @Sendable (ReloadPlan) -> Void,
    onBegin: @escaping @Sendable () -> Void = {},
    onRefused: @escaping @Sendable () -> Void = {},
    onLoaded: @escaping @Sendable (FilesRead) -> Void = { _ in },
    onDone: @escaping @Sendable (ReloadReport) -> Void = { _ in }
  ) {
    self.current = Mutex(current)
    self.once = Mutex(once)
    self.containers = Mutex(containers)
    self.watchedPaths = Mutex(watchedPaths)
    runningFiles = Mutex(files)
    self.source = source
    self.observer = observer
    self.ledger = ledger
    self.time = time
    self.apply = apply
    self.onBegin = onBegin
    self.onRefused = onRefused
    self.onLoaded = onLoaded
    self.onDone = onDone
    forgetLater()
  }

  /// Reloads soon; `cause` is shown in the log.
  package func reload(cause: String, reply: @escaping @Sendable (ReloadReport) -> Void = { _ in }) {
    let isFirst = waiting.withLock { waiting in
      defer { waiting = (waiting ?? []) + [reply] }
      return waiting == nil
    }
    guard isFirst else { return }
    queue.async { [self] in
      let replies = waiting.withLock { waiting in
        defer { waiting = nil }
        return waiting ?? []
      }
      let report = perform(cause: cause)
      finish(report)
      for reply in replies { reply(report) }
    }
  }

  func finish(_ report: ReloadReport) {
    last.withLock { $0 = report }
    onDone(report)
  }

  func beginReload(cause: String) {
    onBegin()
    log(.notice, "reloading", [LogField(.cause, .text(cause))])
  }

  /// Replies with the plan of a reload if the main file had this text.
  package func plan(
    text: [UInt8], isRemote: Bool, reply: @escaping @Sendable (ReloadReport) -> Void
  ) {
    let files = runningFiles.withLock { $0 } ?? FilesRead(paths: [], readAt: time.wall)
    plan({ [source] in source.load(text: text, within: isRemote ? files : nil) }, reply: reply)
  }

  /// Replies with the plan of a reload of the present files.
  package func plan(reply: @escaping @Sendable (ReloadReport) -> Void) {
    plan({ [source] in source.load() }, reply: reply)
  }

  private func plan(
    _ load: @escaping @Sendable () -> LoadedSnapshot,
    reply: @escaping @Sendable (ReloadReport) -> Void
  ) {
    queue.async { [self] in
      let old = current.withLock { $0 }
      var labelled = containers.withLock { $0 }
      let loaded = applicable(load(), after: old.settings, &labelled)
      reply(
        report(loaded, loaded.snapshot.map { ReloadPlan(from: old, to: $0) }, from: old.settings))
    }
  }

  package var lastReport: ReloadReport? { last.withLock { $0 } }

  /// The loaded jobs, with those that run once and those of labels; or the reason why a restart is
  /// needed.
  private func applicable(
    _ loaded: LoadedSnapshot, after old: SchedulerSettings, _ labelled: inout ContainerJobs
  ) -> LoadedSnapshot {
    guard let snapshot = loaded.snapshot else { return loaded }
    var applicable = loaded
    let taken = once.withLock { $0.names(in: snapshot, dueAfter: time.wall) }
    let refusals =
      [old.restartRefusal(to: snapshot.settings, in: source.path)].compactMap(\.self)
      + taken.map { name in
        Diagnostic(
          .duplicateJob, at: SourceLocation(file: source.path),
          "'\(name)' is a job that 'takt once' has added",
          hint: "rename the job, or run: takt cancel \(name)")
      }
    applicable.diagnostics += refusals
    guard refusals.isEmpty else {
      applicable.snapshot = nil
      return applicable
    }
    let whole = once.withLock { $0.added(to: snapshot) }
    labelled.make(for: whole, from: source)
    applicable.snapshot = labelled.added(to: whole)
    applicable.diagnostics += labelled.problems
    return applicable
  }

  private func report(
    _ loaded: LoadedSnapshot, _ plan: ReloadPlan?, from old: SchedulerSettings
  ) -> ReloadReport {
    ReloadReport(
      at: time.wall, plan: plan, settings: plan.map { old.differences(to: $0.settings) } ?? [],
      keysForRestart: plan.map { old.keysForRestart(to: $0.settings) } ?? [],
      diagnostics: loaded.diagnostics, listedJobs: loaded.listedJobs)
  }

  private func perform(cause: String) -> ReloadReport {
    beginReload(cause: cause)
    forgetOld()
    var loaded = source.load()
    // A file that cannot be read to its end does not show its includes.
    var files = loaded.files
    files.paths = watchedPaths.withLock { paths in
      paths = loaded.snapshot == nil ? Array(Set(paths + files.paths)) : files.paths
      return paths
    }
    onLoaded(files)
    let inFile = loaded.snapshot
    var labelled = containers.withLock { $0 }
    loaded = applicable(loaded, after: current.withLock(\.settings), &labelled)
    // Without the line at fault, whose content may not be meant for readers of the log. Problems of
    // labels are logged already.
    let known = Set(labelled.problems)
    for diagnostic in loaded.diagnostics where !known.contains(diagnostic) {
      log(diagnostic.severity == .error ? .error : .warning, diagnostic.headline)
    }
    guard let snapshot = loaded.snapshot else {
      let refusals = loaded.diagnostics.filter { $0.severity == .error }
      let errors = refusals.count
      ledger.record(
        .reloaded(
          ReloadRecord(
            at: time.wall, kept: nil, lines: refusals.prefix(Self.refusalsMax).map(\.headline))))
      log(
        .error, "not reloaded; the previous jobs keep running; errors: \(errors)",
        [LogField(.count, .number(Int64(errors)))])
      onRefused()
      return report(loaded, nil, from: current.withLock(\.settings))
    }
    runningFiles.withLock { $0 = loaded.files }
    keep(labelled)
    if let inFile { forgetOnce(takenBy: inFile) }
    let (old, plan) = current.withLock { current in
      let plan = ReloadPlan(from: current, to: snapshot)
      // A setting that needs a restart is not in effect, and is shown until there is one.
      defer {
        current = Snapshot(
          settings: current.settings.reloaded(with: plan.settings), jobs: plan.snapshot.jobs)
      }
      return (current.settings, plan)
    }
    apply(plan)
    return report(loaded, plan, from: old)
  }

  func log(_ level: LogLevel, _ message: String, _ fields: [LogField] = []) {
    observer.observe(
      LogRecord(at: time.wall, level, .reload, [LogField(.message, .text(message))] + fields))
  }
}
