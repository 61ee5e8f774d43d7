package import TaktCore
package import TaktTime

/// Collects the events of a simulation and draws them as a picture.
package struct TimelineBuilder {
  private struct Row {
    var slots: [Timeline.Mark] = []
    var runs: [Timeline.Bar] = []
  }

  private let snapshot: Snapshot
  private var timeline: Timeline
  private var rows: [JobName: Row] = [:]
  private var begun: [RunID: Int64] = [:]

  package init(_ snapshot: Snapshot, from: WallInstant, to: WallInstant) {
    self.snapshot = snapshot
    timeline = Timeline(
      title: "", from: from.milliseconds, to: to.milliseconds, zone: snapshot.settings.zone)
  }

  package mutating func add(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, let window):
      let due = record.verdict == .ran ? record.at - lateness : record.slots.last
      rows[record.job, default: Row()].slots.append(
        Timeline.Mark(
          at: due.milliseconds, windowEnd: (due + window).milliseconds,
          verdict: record.verdict.kind))
    case .began(_, let run, let at): begun[run] = at.milliseconds
    case .ended(let job, let run, let end, let at):
      guard let from = begun.removeValue(forKey: run) else { return }
      rows[job, default: Row()].runs.append(
        Timeline.Bar(
          from: from, to: at.milliseconds, isFailed: end.outcome != .succeeded))
    case .retried, .called: break
    case .wake(let at, _): timeline.wakes.append(at.milliseconds)
    case .fault(let fault, let at):
      timeline.events.append(Timeline.Event(at: at.milliseconds, label: fault.kind.words))
    }
  }

  package func svg(title: String) -> String {
    var timeline = timeline
    timeline.title = title
    timeline.rows = snapshot.jobs.map { spec in
      let row = rows[spec.name] ?? Row()
      return Timeline.Row(
        name: spec.name.text, slots: row.slots.sorted { $0.at < $1.at },
        runs: row.runs.sorted { $0.from < $1.from },
        summary: spec.timing.schedule.words.joined(separator: "; "))
    }
    timeline.wakes.sort()
    return TimelinePicture(timeline).svg()
  }
}
