import CUnderValgrind
import TaktCore
import TaktStore

/// Whole runs, one after the other: the timer fires, a shell starts, prints ten lines and ends, and
/// ledger and log are written. All threads of the daemon count, but not the shell. The figure
/// differs by up to 0.4 % from one count to the next, also on a busy machine.
struct RunWorkload: Workload {
  static let name = "run"
  static let summary = "200 runs of a command with ten lines of output, ledger and JSON log"
  static let threads = CountedThreads.all

  private static let runCount = 200
  private static let warmUpCount = 20

  private static let jobs = """
    jobs:
      report:
        every: 1s
        timeout: 10m
        cwd: /
        run: printf 'step %s of the nightly report is done\\n' 1 2 3 4 5 6 7 8 9 10
    """

  private let daemon: WholeDaemon

  init() throws {
    daemon = try WholeDaemon(SampleJobs.load(Array(Self.jobs.utf8)))
    try serve(Self.warmUpCount)
  }

  /// Each run is in the ledger before the next one starts: the number of transactions must not
  /// depend on the load of the machine.
  private func serve(_ count: Int) throws {
    for _ in 0..<count {
      try daemon.pass(.seconds(1))
      try daemon.keep()
    }
  }

  mutating func run() throws {
    cvalgrind_start_counting()
    try serve(Self.runCount)
    daemon.closeLog()
    cvalgrind_stop_counting()
  }

  func check() throws {
    let count = Self.warmUpCount + Self.runCount
    let lines = try daemon.lines()
    let printed = lines.count { $0.contains(#""line":"step "#) }
    try expect("lines of output in the log", printed, is: 10 * count)
    let ended = lines.count { $0.contains(#""outcome":"succeeded""#) }
    try expect("runs that succeeded", ended, is: count)
    let report = try daemon.audit()
    try expect("slots", report.verdictCounts.slots, is: count)
    try expect("findings", report.findings.map(\.description), is: [])
  }
}
