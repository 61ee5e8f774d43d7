import ArgumentParser
import Glibc
import TaktCore
import TaktEngine
import TaktStore

/// What a daemon has of its state folder: the lock, the ledger, and what former takts have left.
struct State {
  /// Nil when nothing outlives the process.
  private(set) var ledger: SQLiteLedger?
  private(set) var findings = LedgerFindings()
  private var lock: StateFolderLock?
  /// What is to be said when the log is there.
  private var remark: (level: LogLevel, text: String)?

  /// Takes the lock, or ends the program when another takt has it. A folder that cannot be written
  /// is done without.
  init(_ settings: SchedulerSettings, file: String) throws {
    guard case .folder(let folder)? = settings.state else { return }
    let path = JobsFileSource(path: file, catalogue: BuiltinRegistry.standard).absolutePath
    let since = WallInstant(milliseconds: SystemTimeSource().wall.milliseconds).rfc3339()
    do throws(StateFolderLock.Failure) {
      lock = try StateFolderLock(
        folder: folder,
        holder: "takt \(Takt.configuration.version), pid \(getpid()), since \(since), "
          + "with \(path)")
    } catch {
      switch error {
      case .held(let holder):
        Console.error("takt: the state folder \(folder) is in use by \(holder)")
        throw ExitCode.stateInUse
      case .unwritable(let number):
        remark = (
          .error,
          "the state folder \(folder) cannot be written (\(String(cString: strerror(number)))): "
            + "anchors and books last as long as the process"
        )
      }
    }
  }

  /// Opens the ledger and ends what killed takts have left running.
  mutating func open(
    _ settings: SchedulerSettings, file: String, observer: any Observer, time: any TimeSource,
    onRenewed: @escaping @Sendable () -> Void
  ) throws {
    if let remark { tell(remark.text, remark.level, observer, time) }
    guard let lock else { return }
    let writer = SQLiteLedger.Writer(
      instance: AttemptMark.instance, boot: BootIdentity.current(),
      version: Takt.configuration.version, file: file)
    do throws(LedgerOpenFailure) {
      let (ledger, findings) = try SQLiteLedger.open(
        in: lock, writer: writer, history: settings.history, zones: ZoneFiles(),
        observer: observer,
        time: time, onRenewed: onRenewed)
      self.ledger = ledger
      self.findings = findings
    } catch {
      switch error {
      case .newer(let path):
        Console.error(
          "takt: \(path) was written by a newer takt; use that one, or another 'scheduler.state'")
        throw ExitCode.stateInUse
      }
    }
    endLeftProcesses(observer, time)
    if let seen = findings.lastSeen {
      let open = findings.former.runs.count { !$0.isEnded }
      tell(
        "goes on where a former takt left off: \(seen.rfc3339()), runs without an end: \(open)",
        .notice, observer, time)
    }
  }

  private func endLeftProcesses(_ observer: any Observer, _ time: any TimeSource) {
    let left = LeftProcesses(
      leaders: findings.processes.map(\.identity), instances: findings.instances)
    let found = left.end()
    for (isGone, level) in [(true, LogLevel.warning), (false, .error)] {
      let some = found.filter { $0.isGone == isGone }
      guard !some.isEmpty else { continue }
      let names = some.prefix(Self.namedMax).map { "\($0.name.printable)(\($0.pid))" }
      let list = names.joined(separator: ", ") + (some.count > names.count ? ", …" : "")
      tell(
        isGone
          ? "ended what a former takt has left running, \(some.count) processes: \(list)"
          : "what a former takt has left running does not end, \(some.count) processes: \(list)",
        level, observer, time)
    }
  }

  /// So many processes are named in one line.
  private static let namedMax = 10

  private func tell(
    _ message: String, _ level: LogLevel, _ observer: any Observer, _ time: any TimeSource
  ) {
    observer.observe(
      LogRecord(at: time.wall, level, .ledger, [LogField(.message, .text(message))]))
  }
}
