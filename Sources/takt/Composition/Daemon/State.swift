import ArgumentParser
import Glibc
import Synchronization
import TaktCore
import TaktEngine
import TaktStore
import TaktSystem
import TaktTime

/// A daemon's hold on its state folder: the lock, the ledger, and the findings on previous daemons.
struct State {
  /// Nil if nothing outlives the process.
  private(set) var ledger: SQLiteLedger?
  /// Holds the previous daemon's jobs and runs for the scheduler.
  let handover = Handover()
  private var onceJobs: [OnceJob] = []
  private var lock: StateFolderLock?
  /// The folder of takt's files, even if it cannot be written; nil without a state folder.
  private(set) var folder: String?
  /// True if takt's files are kept there.
  var isKept: Bool { lock != nil }
  /// The reason why nothing is kept in spite of a state folder; nil otherwise.
  private(set) var unkept: String?
  /// A message to write once the log exists.
  private var lockNote: (level: LogLevel, text: String)?

  /// Takes the lock, or ends the program if another daemon has it or the folder may have been made
  /// by another user. Continues without a folder that cannot be written.
  init(_ settings: SchedulerSettings, file: String) throws {
    guard case .folder(let folder)? = settings.state else { return }
    self.folder = folder
    let path = JobsFileSource(path: file, catalogue: BuiltinRegistry.standard).absolutePath
    let since = WallInstant(milliseconds: SystemTimeSource().wall.milliseconds).rfc3339()
    do throws(StateFolderLock.Failure) {
      lock = try StateFolderLock(
        folder: folder,
        holder: "takt \(TaktVersion.current), pid \(getpid()), since \(since), "
          + "with \(path)", trusting: Self.owners(of: path))
      noteMove(of: lock, for: folder)
    } catch {
      switch error {
      case .refused(let problem):
        Console.error("takt: \(problem.sentence)")
        throw ExitCode.stateInUse
      case .held(let holder):
        Console.error("takt: the state folder \(folder) is in use by \(holder)")
        throw ExitCode.stateInUse
      case .unwritable(let number):
        let words =
          "the state folder \(folder) cannot be written (\(SystemError.text(number))): "
          + "schedules and history last only as long as this process"
        unkept = words
        lockNote = (.error, words)
      }
    }
  }

  /// The users who may own a folder above the state folder: a user who may change the jobs that
  /// root runs can do anything anyway.
  private static func owners(of file: String) -> Set<UInt32> {
    (try? FileStatus(at: file)).map { [$0.owner] } ?? []
  }

  private mutating func noteMove(of lock: StateFolderLock?, for folder: String) {
    guard let lock else { return }
    self.folder = lock.folder
    if lock.folder != folder {
      lockNote = (
        .notice,
        "the state folder \(folder) belongs to another user; takt's state is in \(lock.folder)"
      )
    } else if lock.wasRestricted {
      lockNote = (
        .warning,
        "the state folder \(folder) was writable by its group; now only its owner can write to it"
      )
    }
  }

  /// Opens the ledger and ends leftover processes of daemons that were killed.
  mutating func open(
    _ settings: SchedulerSettings, file: String, observer: any Observer, time: any TimeSource,
    onRenewed: @escaping @Sendable () -> Void
  ) throws {
    if let lockNote { logMessage(lockNote.text, lockNote.level, observer, time) }
    guard let lock else { return }
    let writer = SQLiteLedger.Writer(
      instance: DaemonProcess.instance, boot: BootIdentity.current(),
      version: TaktVersion.current, file: file, startTicks: DaemonProcess.startTicks,
      pidSpace: DaemonProcess.pidSpace)
    let findings: LedgerFindings
    do throws(LedgerOpenFailure) {
      (ledger, findings) = try SQLiteLedger.open(
        in: lock, writer: writer, history: settings.history, zones: ZoneFiles(),
        observer: observer,
        time: time, onRenewed: onRenewed)
    } catch {
      switch error {
      case .newer(let path):
        Console.error(
          "takt: \(path) was written by a newer version of takt; use that version, or another "
            + "'scheduler.state'")
        throw ExitCode.stateInUse
      case .refused(let problem):
        Console.error("takt: \(problem.sentence)")
        throw ExitCode.stateInUse
      }
    }
    onceJobs = findings.onceJobs
    let left = DaemonLeftovers(of: findings, observer: observer).end()
    ContainerEngines.shared.open(in: lock.folder) { observer.logMessage($0, .warning, .ledger) }
    ledger?.settle(left.settled)
    var previous = findings.previous
    previous.previousMembers = left.members
    handover.put(previous)
    if let seen = findings.lastSeen {
      let open = findings.previous.runs.count { !$0.isEnded }
      logMessage(
        "continues from the previous daemon (last seen \(seen.rfc3339()), unfinished runs: \(open))",
        .notice, observer, time)
    }
  }

  /// The jobs that run once besides those of the file, without those whose runs are no longer kept.
  func onceJobs(
    from source: JobsFileSource, beside snapshot: Snapshot, observer: any Observer,
    at now: WallInstant
  ) -> OnceJobs {
    var jobs = OnceJobs(onceJobs, from: source) { job in
      observer.logMessage("'\(job.name)' does not run once: its keys are refused", .error)
    }
    let kept = snapshot.settings.history.keep
    for name in jobs.removeAll(dueBefore: now - kept) { ledger?.record(.onceRemoved(name)) }
    for change in jobs.giveWay(to: snapshot, at: now, from: source) {
      switch change {
      case .removed(let name): ledger?.record(.onceRemoved(name))
      case .renamed(let old, let job):
        ledger?.record(.onceRemoved(old))
        ledger?.record(.once(job))
        observer.logMessage(
          "'\(old)', which 'takt once' has added, is '\(job.name)' from now on: the jobs file has "
            + "a job of its name", .warning)
      }
    }
    return jobs
  }

  /// Passes on once the state that is large with many jobs, and keeps none of it.
  final class Handover: Sendable {
    private let previous = Mutex(PreviousState())

    func put(_ state: PreviousState) { previous.withLock { $0 = state } }

    func pop() -> PreviousState {
      previous.withLock { state in
        defer { state = PreviousState() }
        return state
      }
    }
  }

  private func logMessage(
    _ message: String, _ level: LogLevel, _ observer: any Observer, _ time: any TimeSource
  ) {
    observer.observe(
      LogRecord(at: time.wall, level, .ledger, [LogField(.message, .text(message))]))
  }
}
