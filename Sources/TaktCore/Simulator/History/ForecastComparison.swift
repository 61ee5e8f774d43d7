/// The changes if other jobs run in place of those of a forecast, seed by seed.
package struct ForecastComparison: Sendable {
  /// A job of both sets that starts later or earlier, or of whose slots something else becomes.
  package struct Change: Hashable, Sendable {
    package var job: JobName
    /// The worst delay of a start, and its part of the range; nil without one.
    package var later: Shift?
    package var earlier: Shift?
    /// The additional slots that start later than allowed, and those that do not run: medians.
    package var lateSlots: Int
    package var notServed: Int
    /// Further slots that run, and further runs that fail: medians.
    package var ran: Int
    package var failures: Int
    /// Further slots by a verdict such as `skipped(overlap)`: medians that are not zero.
    package var reasons: [String: Int]

    /// True if the job goes as before.
    var isNothing: Bool {
      later == nil && earlier == nil && lateSlots == 0 && notServed == 0 && ran == 0
        && failures == 0 && reasons.isEmpty
    }
  }

  package struct Shift: Hashable, Sendable {
    /// The median and the value that 95 % of the seeds do not exceed.
    package var median: Duration
    package var high: Duration
    /// The place of the part of the range.
    package var part: Int
  }

  /// Smaller shifts are not reported.
  package static let shiftMin = Duration.seconds(1)

  package let before: Forecast
  package let after: Forecast
  package let added: [JobName]
  package let removed: [JobName]
  /// The largest change first.
  package let changes: [Change]

  /// - Parameters:
  ///   - before: of as many seeds and the same range as `after`.
  package init(
    _ before: Forecast, of old: Snapshot, _ after: Forecast, of new: Snapshot
  ) {
    (self.before, self.after) = (before, after)
    let (oldNames, newNames) = (Set(old.jobs.map(\.name)), Set(new.jobs.map(\.name)))
    added = newNames.subtracting(oldNames).sorted()
    removed = oldNames.subtracting(newNames).sorted()
    changes = oldNames.intersection(newNames).compactMap {
      Self.change(of: $0, before, after)
    }.sorted {
      let (left, right) = ($0.later?.median ?? .zero, $1.later?.median ?? .zero)
      return left == right ? $0.job < $1.job : left > right
    }
  }

  private static func change(
    of job: JobName, _ before: Forecast, _ after: Forecast
  ) -> Change? {
    let pairs = Array(zip(before.draws, after.draws))
    func median(_ value: (Forecast.Draw) -> Int) -> Int {
      Ranked(pairs.map { value($1) - value($0) })[50] ?? 0
    }
    let reasons = pairs.reduce(into: Set<String>()) { reasons, draws in
      reasons.formUnion(draws.0.report.job(job).reasons.keys)
      reasons.formUnion(draws.1.report.job(job).reasons.keys)
    }
    let change = Change(
      job: job, later: shift(of: job, pairs, sign: 1), earlier: shift(of: job, pairs, sign: -1),
      lateSlots: median { $0.services[job]?.lateSlots ?? 0 },
      notServed: median {
        let counts = $0.report.job(job).verdictCounts
        return counts.slots - counts.ran
      }, ran: median { $0.report.job(job).verdictCounts.ran },
      failures: median { $0.services[job]?.failures ?? 0 },
      reasons: reasons.reduce(into: [:]) { found, reason in
        let count = median { $0.report.job(job).reasons[reason, default: 0] }
        if count != 0 { found[reason] = count }
      })
    return change.isNothing ? nil : change
  }

  /// The part with the largest shift in the direction of `sign`, by the median of the seeds.
  private static func shift(
    of job: JobName, _ pairs: [(Forecast.Draw, Forecast.Draw)], sign: Int
  ) -> Shift? {
    let latest = pairs.map { ($0.services[job]?.latest ?? [], $1.services[job]?.latest ?? []) }
    var worst: Shift?
    for part in 0..<(latest.map { max($0.0.count, $0.1.count) }.max() ?? 0) {
      let shifts = Ranked(
        latest.map { old, new in
          ((new.isEmpty ? .zero : new[part]) - (old.isEmpty ? .zero : old[part])) * sign
        })
      guard let median = shifts[50], let high = shifts[95], median >= shiftMin,
        median > worst?.median ?? .zero
      else { continue }
      worst = Shift(median: median, high: high, part: part)
    }
    return worst
  }
}
