package import TaktTime

/// The verdict on slots of a job, as logged.
package struct SlotRecord: Sendable {
  package var record: VerdictRecord
  /// The triggers that named the slot; empty if unknown.
  package var causes: SlotCauses
  /// For a slot that runs: its due time, and the delay of its start.
  package var start: (due: WallInstant, lateness: Duration)?

  package init(
    _ record: VerdictRecord, causes: SlotCauses = [],
    start: (due: WallInstant, lateness: Duration)? = nil
  ) {
    self.record = record
    self.causes = causes
    self.start = start
  }

  func put(into sink: inout some FieldSink) {
    let slots = record.slots
    sink.put(.job, text: record.job.text)
    sink.put(.slot, instant: slots.first)
    if slots.count > 1 {
      sink.put(.slotLast, instant: slots.last)
      sink.put(.count, number: Int64(slots.count))
    }
    if !causes.isEmpty { sink.put(.cause, text: causes.text) }
    sink.put(.verdict, text: record.verdict.name)
    if let detail = record.verdict.detail { sink.put(.reason, text: detail) }
    if let start {
      sink.put(.due, instant: start.due)
      sink.put(.lateMilliseconds, milliseconds: start.lateness)
    }
    if let run = record.run { sink.put(.run, number: Int64(run.number)) }
  }
}

extension Verdict {
  var level: LogLevel {
    switch self {
    case .ran, .skipped(.suspended), .skipped(.stopping), .skipped(.excluded), .skipped(.limit),
      .skipped(.elsewhere):
      .info
    case .cancelled: .notice
    case .skipped, .coalesced, .missed: .warning
    }
  }
}
