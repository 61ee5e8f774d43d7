import TaktTime

/// A `timeout` for jobs without one, or with one that is far from how long they take.
struct TimeoutAdvice: AdviceRule {
  static let name = "timeout"
  private static let margin = 3
  /// A timeout this many times as long as the proposed one is far from it.
  private static let farMin = 10

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced().compactMap { spec, history -> Proposal? in
      // A timeout is that of each attempt.
      let times = history.attemptDurations
      guard let high = times[99] else { return nil }
      let longest = history.longestAttempt
      let wanted = Advice.rounded(
        max(high * Self.margin, history.timeouts > 0 ? .zero : longest * 3 / 2))
      let change = Proposal.Change(.timeout, DurationText.format(wanted))
      let unit = history.retried > 0 ? "last attempts of \(times.count)" : "\(times.count)"
      let taken =
        "99 % of the \(unit) runs that succeeded took at most \(DurationText.brief(high)), the "
        + "longest of all \(history.count) took \(DurationText.brief(longest))"
      let effect = "a run that hangs is stopped after \(DurationText.format(wanted))"
      guard let timeout = spec.execution.timeout else {
        return proposal(spec.name, "It has no timeout; \(taken).", effect, change)
      }
      let words = "Its timeout is \(DurationText.format(timeout))"
      if timeout > wanted * Self.farMin {
        return proposal(spec.name, "\(words); \(taken).", effect, change)
      }
      if history.timeouts > 0, timeout < high * 3 / 2, timeout < wanted {
        return proposal(
          spec.name,
          "\(words), which \(history.timeouts) of \(history.count) runs exceeded; \(taken).",
          "runs that need more than \(DurationText.format(timeout)) can end by themselves", change)
      }
      return nil
    }
  }
}

/// An `expected` for jobs whose `on_late` is called for nearly every run, or never for a slow one.
struct ExpectedAdvice: AdviceRule {
  static let name = "expected"

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced().compactMap { spec, history -> Proposal? in
      let times = history.durations
      guard let middle = times[50], let high = times[95] else { return nil }
      let wanted = Advice.rounded(high * 3 / 2)
      let change = Proposal.Change(.expected, DurationText.format(wanted))
      let taken =
        "half of the \(times.count) runs that succeeded took \(DurationText.brief(middle)), 95 % at most "
        + DurationText.brief(high)
      let effect = "'on_late' is called for runs beyond \(DurationText.format(wanted))"
      guard let expected = spec.expectedDuration else {
        guard spec.hooks[.onLate]?.isEmpty == false else { return nil }
        return proposal(
          spec.name, "It has 'on_late' and no 'expected'; \(taken).", effect, change)
      }
      guard expected < middle || expected > wanted * 10 else { return nil }
      return proposal(
        spec.name, "Its 'expected' is \(DurationText.format(expected)); \(taken).", effect, change)
    }
  }
}

/// A `late_tolerance` for jobs that are always a little late.
struct LateToleranceAdvice: AdviceRule {
  static let name = "late_tolerance"
  /// A longer delay needs attention.
  private static let latenessMax = Duration.seconds(60)

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced().compactMap { spec, _ -> Proposal? in
      let late = input.forecast.spread { $0.services[spec.name]?.lateSlots ?? 0 }
      let latest = input.forecast.spread { $0.report.job(spec.name).latest }
      guard late.median > 0, latest.high <= Self.latenessMax else { return nil }
      // A job with leeway is late beyond it; the difference must be tolerated.
      let wanted = Advice.rounded(max(latest.high, spec.lateTolerance + .seconds(1)))
      return proposal(
        spec.name,
        "\(late.median) slots of \(DurationText.format(input.forecast.plan.span)) start up to "
          + "\(DurationText.brief(latest.high)) late, more than 'late_tolerance' "
          + "\(DurationText.format(spec.lateTolerance)).",
        "hardly any slot counts as late", .init(.lateTolerance, DurationText.format(wanted)))
    }
  }
}

/// A longer interval for jobs that are due again before they have ended.
struct IntervalAdvice: AdviceRule {
  static let name = "interval"
  private static let shareMin = 10

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced().compactMap { spec, history -> Proposal? in
      let name = spec.name
      let skipped = input.forecast.spread {
        $0.report.job(name).reasons["skipped(overlap)", default: 0]
      }.median
      let slots = input.forecast.spread { $0.report.job(name).verdictCounts.slots }.median
      guard skipped > 0, skipped * 100 >= slots * Self.shareMin,
        let high = history.durations[95]
      else { return nil }
      let pattern = RunPattern(history)
      // The history that is drawn from is adjusted where the job has changed.
      let now = high * max(1, pattern?.trend ?? 1)
      let reason =
        "\(skipped) of \(slots) slots are skipped because the run before is still in progress; 95 % "
        + "of runs take at most \(DurationText.brief(now))."
      guard let every = spec.timing.schedule.every, every.origin != .end,
        spec.timing.schedule.rules.isEmpty, every.interval < now
      else {
        return proposal(name, reason, "with a longer interval fewer slots are skipped")
      }
      let wanted = Advice.rounded(now * 11 / 10)
      return proposal(
        name, reason, "fewer slots, nearly none of them skipped",
        spec.timing.schedule.at.isEmpty ? .init(.every, DurationText.format(wanted)) : nil)
    }
  }
}
