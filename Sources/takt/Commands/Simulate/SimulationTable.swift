import TaktCore
import TaktTime

struct SimulationTable {
  let report: SimulationReport
  let snapshot: Snapshot
  let start: WallInstant
  let span: Duration

  func print() {
    let zone = snapshot.settings.zone
    let names = snapshot.jobs.map(\.name)
    // Jobs of a file that a reload has added, or removed.
    let others = Set(report.jobs.map(\.name)).subtracting(names).sorted()
    Console.print(
      titles: ["job", "slots", "ran", "not served", "late at most", "at once", "why"],
      rows: (names + others).map(row)
    )
    Console.print("")
    Console.print(
      "\(DurationText.format(span)) from \(start.rfc3339(in: zone)) in \(zone.name), "
        + "jobs: \(snapshot.jobs.count)")
    Console.print("\(report.verdictCounts)")
    let each = report.wakes == 0 ? 0 : Double(report.served) / Double(report.wakes)
    Console.print("wakes \(report.wakes), \(Self.brief(each)) timers each")
    if let busiest = report.busiest {
      Console.print(
        "runs at once: at most \(report.runningMax), first at \(busiest.rfc3339(in: zone))")
    }
  }

  private func row(_ name: JobName) -> [String] {
    let job = report.job(name)
    let ran = job.verdictCounts.ran
    let reasons = job.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [
      name.text, String(job.verdictCounts.slots), String(ran),
      String(job.verdictCounts.slots - ran),
      DurationText.format(.milliseconds(job.latest.milliseconds)), String(job.runningMax),
      reasons.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
    ]
  }

  private static func brief(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// The output of `takt simulate --json` at its end.
struct SimulationAnswer: Encodable {
  private struct Job: Encodable {
    var job: String
    var slots: Int
    var verdicts: [String: Int]
    var reasons: [String: Int]
    var lateMaxMs: Int64
    var runningMax: Int
  }

  private var from: String
  private var to: String
  private var slots: Int
  private var verdicts: [String: Int]
  private var wakes: Int
  private var timersServed: Int
  private var runningMax: Int
  private var jobs: [Job]

  init(
    _ report: SimulationReport, _ snapshot: Snapshot, from start: WallInstant, for span: Duration
  ) {
    from = start.rfc3339()
    to = (start + span).rfc3339()
    let verdictCounts = report.verdictCounts
    slots = verdictCounts.slots
    verdicts = verdictCounts.counts
    wakes = report.wakes
    timersServed = report.served
    runningMax = report.runningMax
    let names = Set(snapshot.jobs.map(\.name)).union(report.jobs.map(\.name)).sorted()
    jobs = names.map { name in
      let job = report.job(name)
      return Job(
        job: name.text, slots: job.verdictCounts.slots, verdicts: job.verdictCounts.counts,
        reasons: job.reasons, lateMaxMs: job.latest.milliseconds, runningMax: job.runningMax)
    }
  }
}
