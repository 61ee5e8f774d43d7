import TaktCore
import TaktTime

/// Gathers what a picture of a simulation shows.
struct TimelineBuilder {
  private struct Row {
    var slots: [Timeline.Mark] = []
    var runs: [Timeline.Bar] = []
  }

  private let snapshot: Snapshot
  private let from: WallInstant
  private let to: WallInstant
  private var rows: [JobName: Row] = [:]
  private var wakes: [Int64] = []
  private var begun: [RunID: Int64] = [:]
  private var events: [Timeline.Event] = []

  init(_ snapshot: Snapshot, from: WallInstant, to: WallInstant) {
    self.snapshot = snapshot
    self.from = from
    self.to = to
  }

  mutating func take(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, let window):
      let due = record.verdict == .ran ? record.at - lateness : record.slots.last
      guard let verdict = Timeline.Verdict(rawValue: record.verdict.name) else { return }
      let mark = Timeline.Mark(
        at: due.milliseconds, windowEnd: (due + window).milliseconds, verdict: verdict)
      rows[record.job, default: Row()].slots.append(mark)
    case .began(_, let run, let at): begun[run] = at.milliseconds
    case .ended(let job, let run, let end, let at):
      guard let from = begun.removeValue(forKey: run) else { return }
      rows[job, default: Row()].runs.append(
        Timeline.Bar(
          from: from, to: at.milliseconds, isFailed: end.outcome != .succeeded))
    case .wake(let at, _): wakes.append(at.milliseconds)
    case .fault(let fault, let at):
      events.append(Timeline.Event(at: at.milliseconds, label: fault.kind.words))
    }
  }

  func picture(_ report: SimulationReport) -> TimelinePicture {
    let zone = snapshot.settings.zone
    var timeline = Timeline(
      title: "\(report.balance)", from: from.milliseconds, to: to.milliseconds,
      zoneName: zone.name)
    timeline.offsets = offsets(of: zone)
    timeline.rows = snapshot.jobs.map { spec in
      let row = rows[spec.name] ?? Row()
      return Timeline.Row(
        name: spec.name.text, slots: row.slots.sorted { $0.at < $1.at },
        runs: row.runs.sorted { $0.from < $1.from },
        summary: spec.timing.schedule.words.joined(separator: "; "))
    }
    timeline.wakes = wakes.sorted()
    timeline.events = events
    return TimelinePicture(timeline)
  }

  /// The zone's offset at the beginning, and each change of it.
  private func offsets(of zone: Zone) -> [Timeline.ZoneOffset] {
    var offsets = [
      Timeline.ZoneOffset(at: from.milliseconds, offsetSeconds: zone.offsetSeconds(at: from))
    ]
    var instant = from
    while let change = zone.nextChange(after: instant), change <= to {
      offsets.append(
        Timeline.ZoneOffset(at: change.milliseconds, offsetSeconds: zone.offsetSeconds(at: change)))
      instant = change
    }
    return offsets
  }
}
