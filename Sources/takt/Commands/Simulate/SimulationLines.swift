import TaktCore
import TaktTime

/// Every verdict of a simulation, a line each.
struct SimulationLines {
  let zone: Zone
  let isJSON: Bool

  func show(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, _):
      if isJSON {
        Console.print(VerdictAnswer(record, lateness, in: zone).jsonLine)
      } else {
        Console.print(line(record, lateness))
      }
    case .fault(let fault, let at) where !isJSON:
      Console.print("\(at.rfc3339(in: zone))  -- \(fault.kind.words)")
    case .fault, .began, .ended, .wake: break
    }
  }

  private func line(_ record: VerdictRecord, _ lateness: Duration) -> String {
    let slots = record.slots
    var words = ["\(slots.first.rfc3339(in: zone))", record.job.text]
    if slots.count > 1 { words.append("\(slots.count) to \(slots.last.rfc3339(in: zone))") }
    switch record.verdict {
    case .ran:
      words.append("ran")
      let due = record.at - lateness
      // Put off, or on a clock that goes apart from the wall.
      if due.milliseconds != slots.first.milliseconds {
        words.append("due \(due.rfc3339(in: zone))")
      }
      if lateness.milliseconds > 0 {
        words.append("late \(DurationText.format(.milliseconds(lateness.milliseconds)))")
      }
    case .coalesced(let into): words.append("coalesced into \(into.rfc3339(in: zone))")
    case .skipped, .missed, .cancelled: words.append("\(record.verdict)")
    }
    return words.joined(separator: "  ")
  }
}

/// What `takt simulate --slots --json` prints for each verdict.
private struct VerdictAnswer: Encodable {
  var job: String
  var slot: String
  var slotLast: String
  var count: Int
  var verdict: String
  var reason: String?
  var lateMs: Int64?
  var at: String

  init(_ record: VerdictRecord, _ lateness: Duration, in zone: Zone) {
    job = record.job.text
    slot = record.slots.first.rfc3339(in: zone)
    slotLast = record.slots.last.rfc3339(in: zone)
    count = record.slots.count
    verdict = record.verdict.name
    reason = record.verdict.detail
    lateMs = record.verdict == .ran ? lateness.milliseconds : nil
    at = record.at.rfc3339(in: zone)
  }
}
