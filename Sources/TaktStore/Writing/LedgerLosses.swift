import TaktCore

/// What could not be taken while nothing could be written.
package struct LedgerLosses {
  /// Verdicts, by job.
  var slots: [JobName: RecordLoss] = [:]
  /// The newest marks, which are kept all the same.
  var marks: [JobName: JobMark] = [:]
  /// All other entries.
  var entryCount = 0

  package init() {}

  var isEmpty: Bool { slots.isEmpty && marks.isEmpty && entryCount == 0 }

  mutating func add(_ record: VerdictRecord) {
    guard var loss = slots[record.job] else {
      slots[record.job] = RecordLoss(
        first: record.slots.first, last: record.slots.last, count: record.slots.count)
      return
    }
    loss.first = min(loss.first, record.slots.first)
    loss.last = max(loss.last, record.slots.last)
    loss.count += record.slots.count
    slots[record.job] = loss
  }
}
