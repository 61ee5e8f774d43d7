import TaktCore
import TaktEngine
import TaktTesting
import TaktTime

/// The log of 100 runs, ten lines of output each, as text for a terminal and as JSON lines.
struct LogWorkload: Workload {
  static let name = "log"
  static let summary = "the log of 100 runs with 1,000 lines of output, as text and as JSON"

  private let records: [LogRecord]
  private var bytes: [UInt8] = []

  init() throws {
    var scheduler = GateScheduler(try SampleJobs.load(SampleJobs.text(0..<100)), isKeeping: true)
    scheduler.serve(scheduler.dueJobs)
    records =
      scheduler.records
      + scheduler.starts.flatMap { start in
        (0..<10).map { line in Self.output(line, of: start, at: scheduler.now.wall) }
      }
    try run()
    bytes = []
  }

  private static func output(_ line: Int, of start: SlotStart, at wall: WallInstant) -> LogRecord {
    let text = "2026-09-22 12:00:0\(line) INFO \(start.job): line \(line) of \"10\", größer\t✓"
    return LogRecord(
      at: wall, .info, .output,
      [
        LogField(.job, .text(start.job.text)), LogField(.run, .number(Int64(start.run.number))),
        LogField(.attempt, .number(1)),
        LogField(.stream, .text(line % 4 == 0 ? "stderr" : "stdout")),
        LogField(.line, .bytes(Array(text.utf8))),
      ])
  }

  mutating func run() throws {
    for format in LogFormat.allCases {
      let renderer = format.renderer(zone: FixedZones.berlin, isColoured: true, isDetailed: false)
      for record in records where renderer.shows(record, at: .info) {
        renderer.render(record, into: &bytes)
      }
    }
  }

  func check() throws {
    let lines = bytes.count { $0 == UInt8(ascii: "\n") }
    try expect("are there lines", lines > 2 * 1000 + 3 * 100, is: true)
  }
}
