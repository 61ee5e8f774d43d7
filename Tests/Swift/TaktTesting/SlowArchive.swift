package import TaktCore
import TaktTime

/// Default answers for archives of tests, from their runs and verdicts, in the slow way.
extension RunArchive {
  /// Made from the verdicts, without the outcomes of runs.
  package func slots(_ query: SlotQuery) throws(ArchiveError) -> [DecidedSlot] {
    let all = try verdicts(
      VerdictQuery(
        jobs: query.job.map { [$0] }, since: query.since ?? WallInstant(nanoseconds: .min),
        before: WallInstant(nanoseconds: .max), limit: query.limit))
    return all.filter { record in
      (query.until.map { record.slots.first < $0 } ?? true)
        && (!query.notRunOnly || record.verdict.didNotRun)
    }.map { DecidedSlot(record: $0) }
  }

  /// Made from the newest runs of all jobs.
  package func meanDurations() throws(ArchiveError) -> [JobName: Duration] {
    var query = RunQuery()
    query.limit = 1000
    let durations = Dictionary(grouping: try runs(query), by: \.head.job)
    return durations.compactMapValues { runs in
      let known = runs.filter { $0.end != nil }.compactMap(\.duration)
      return known.isEmpty ? nil : known.reduce(.zero, +) / known.count
    }
  }

  /// Made from the runs and verdicts.
  package func heat(_ query: HeatQuery) throws(ArchiveError) -> HeatMap {
    var count = HeatCount(query)
    var runs = RunQuery()
    runs.job = query.job
    runs.since = query.since
    runs.limit = .max
    for run in try self.runs(runs) {
      guard let end = run.end, let start = run.beganAt ?? run.endedAt, start < query.until else {
        continue
      }
      count.add(
        start: start.milliseconds, isFailure: RunQuery.failures.contains(end.outcome),
        duration: run.duration.map { $0.nanosecondsSaturated / 1000 },
        cpu: run.use.map { $0.cpu.nanosecondsSaturated / 1000 })
    }
    var slots = SlotQuery()
    slots.job = query.job
    slots.since = query.since
    slots.until = query.until
    slots.notRunOnly = true
    slots.limit = .max
    for slot in try self.slots(slots) {
      let series = slot.record.slots
      count.add(
        notRun: series.first.milliseconds, to: series.last.milliseconds, count: series.count)
    }
    return count.map
  }
}
