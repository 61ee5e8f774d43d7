import TaktCore
import TaktEngine
import TaktStore

/// Processes that previous daemons have left: ended if they are proven to be theirs, otherwise left
/// alone, which is logged.
struct DaemonLeftovers {
  private let findings: LedgerFindings
  private let observer: any Observer

  init(of findings: LedgerFindings, observer: any Observer) {
    self.findings = findings
    self.observer = observer
  }

  struct Outcome {
    /// The daemons whose leftover processes need no further search.
    var settled: [LedgerFindings.PreviousDaemon] = []
    /// The members that they were in their cluster; empty if processes of theirs may be left.
    var members: [MemberID] = []
  }

  func end() -> Outcome {
    var attempts = findings.unmarked.map(\.identity)
    var settled: [LedgerFindings.PreviousDaemon] = []
    var copied: [LedgerFindings.PreviousDaemon] = []
    var members: [MemberID] = []
    for daemon in findings.daemons {
      if daemon.startTicks == nil {
        settled.append(daemon)
      } else if let space = daemon.pidSpace, space != DaemonProcess.pidSpace {
        // Its processes are out of sight, and their numbers here mean others.
        if daemon.hasLeftovers {
          logMessage(
            .notice,
            "The previous daemon ran in another PID namespace, such as another container; its "
              + "processes are left alone.")
        }
        settled.append(daemon)
      } else if !daemon.isOfThisFolder {
        copied.append(daemon)
      } else if DaemonProcess.isAlive(daemon.pid, startTicks: daemon.startTicks) {
        logMessage(
          .error,
          "The previous daemon (pid \(daemon.pid)) still runs, without its lock. Stop it, or a job may "
            + "run twice.")
      } else {
        attempts += daemon.processes.map(\.identity) + daemon.services
        settled.append(daemon)
        if let member = daemon.member { members.append(member) }
      }
    }
    logCopiedFolder(copied)
    let outcome = LeftoverProcesses(attempts: attempts).end()
    logOutcome(of: outcome)
    let isClean = outcome.lasting.isEmpty && outcome.unproven.isEmpty
    return Outcome(settled: settled + copied, members: isClean ? members : [])
  }

  private func logMessage(_ level: LogLevel, _ message: String) {
    observer.logMessage(message, level, .ledger)
  }

  private func logCopiedFolder(_ daemons: [LedgerFindings.PreviousDaemon]) {
    guard !daemons.isEmpty else { return }
    let open = daemons.reduce(0) { $0 + $1.processes.count }
    logMessage(
      open > 0 ? .warning : .notice,
      "This state folder was copied or moved; processes are left alone, and unfinished runs count as "
        + "interrupted: \(open).")
  }

  private func logOutcome(of outcome: LeftoverProcesses.Outcome) {
    if !outcome.ended.isEmpty {
      logMessage(
        .warning, "Ended leftover processes of the previous daemon: \(Self.list(outcome.ended))")
    }
    if !outcome.lasting.isEmpty {
      logMessage(
        .error,
        "Leftover processes of the previous daemon do not end: \(Self.list(outcome.lasting))")
    }
    if !outcome.unproven.isEmpty {
      logMessage(
        .warning,
        "Left alone, because nothing proves that they are leftovers of the previous daemon: "
          + "\(Self.list(outcome.unproven)). If they are, end them.")
    }
  }

  private static let namedMax = 10

  private static func list(_ processes: [LeftoverProcesses.Found]) -> String {
    let names = processes.prefix(namedMax).map { "\($0.name.printable)(\($0.pid))" }
    return "\(processes.count), \(names.joined(separator: ", "))"
      + (processes.count > names.count ? ", …" : "")
  }
}
