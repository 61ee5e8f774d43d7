import TaktCore
import TaktTime

extension SpecBuilder {
  /// A duration of the file with another one as its bound.
  private struct Pair {
    var field: KeyFields.Field?
    var name: String
    var value: Duration?
    var boundName: String
    var bound: Duration?
    var mayBeEqual = true
    var hint: String
  }

  /// Reports a duration that makes another one, or the schedule, pointless. One from `defaults`
  /// counts if the job has the other.
  func warnOfTimings(of raw: RawJob, _ settled: JobDefaults, schedule: Schedule) {
    let (timeout, policies) = (settled.execution.timeout, settled.policies)
    let grace = usefulGrace(of: raw, policies)
    for pair in [
      Pair(
        field: raw.fields[.expected] ?? raw.fields[.timeout], name: "the '\(JobKey.expected)'",
        value: policies.expectedDuration, boundName: "the '\(JobKey.timeout)'", bound: timeout,
        mayBeEqual: false,
        hint: "takt stops the run before it is reported as slow: write a shorter "
          + "'\(JobKey.expected)', or a longer '\(JobKey.timeout)'"),
      Pair(
        field: policies.overlap.refuses ? raw.fields[.expected] : nil,
        name: "the '\(JobKey.expected)'", value: policies.expectedDuration,
        boundName: "the interval",
        bound: policies.expectedDuration.flatMap { interval(of: schedule, beside: $0) },
        hint: "a run that takes so long makes takt skip slots: write a longer interval, or "
          + "'\(JobKey.overlap)'"),
      Pair(
        field: grace?.field, name: "the 'grace'", value: grace?.value, boundName: "the interval",
        bound: grace.flatMap { interval(of: schedule, beside: $0.value) },
        hint: "the next slot is due before a run has stopped: write a shorter 'grace'"),
      Pair(
        field: raw.fields[.lateTolerance], name: "the '\(JobKey.lateTolerance)'",
        value: policies.lateTolerance, boundName: "the interval",
        bound: interval(of: schedule, beside: policies.lateTolerance),
        hint: "no slot counts as late: write a shorter one"),
    ] { report(pair, of: raw) }
    warnOfDeadline(settled.execution, of: raw)
    guard let timeout else { return }
    for (fields, parameter) in ownTimeouts(of: raw) where parameter.value > timeout {
      report(
        Pair(
          field: fields, name: "the 'timeout' under '\(JobKey.with)'", value: parameter.value,
          boundName: "the job's '\(JobKey.timeout)'", bound: timeout,
          hint: "the job's '\(JobKey.timeout)' comes first: write a shorter one under "
            + "'\(JobKey.with)', or a longer '\(JobKey.timeout)'"),
        at: parameter.mark, of: raw)
    }
  }

  /// systemd's default, which is independent of the schedule.
  private static let usualGrace = Duration.seconds(90)

  /// A `grace` that may keep a slot from its run, and is not meant to last as long as the command.
  private func usefulGrace(
    of raw: RawJob, _ policies: JobPolicies
  ) -> (field: KeyFields.Field, value: Duration)? {
    guard let field = raw.fields[.kill]?.value?.object?["grace"], let value = field.value?.duration,
      value > Self.usualGrace, value < StopPolicy.endlessGrace, !policies.overlap.mayMeet
    else { return nil }
    return (field, value)
  }

  /// Reports a timeout that can never be reached before the deadline of all attempts.
  private func warnOfDeadline(_ execution: Execution, of raw: RawJob) {
    report(
      Pair(
        field: raw.fields[.timeout], name: "the '\(JobKey.timeout)'", value: execution.timeout,
        boundName: "the '\(Key.within)' of '\(JobKey.retry)'", bound: execution.retry.within,
        hint: "all attempts together end before: write a shorter '\(JobKey.timeout)', or a longer "
          + "'\(Key.within)'"),
      of: raw)
  }

  private func report(_ pair: Pair, at mark: YAMLMark? = nil, of raw: RawJob) {
    guard let field = pair.field, field.value?.isNull == false, let value = pair.value,
      let bound = pair.bound, pair.mayBeEqual ? value > bound : value >= bound
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: mark ?? field.mark,
      "\(pair.name) of \(DurationText.format(value)) is \(value == bound ? "as long as" : "longer than") "
        + "\(pair.boundName) of \(DurationText.format(bound))",
      hint: pair.hint, owner: raw.owner)
  }

  /// Each `timeout` that the job gives to one of its actions.
  private func ownTimeouts(
    of raw: RawJob
  ) -> [(KeyFields.Field, (value: Duration, mark: YAMLMark))] {
    var found: [(KeyFields.Field, (value: Duration, mark: YAMLMark))] = []
    let steps = raw.fields[.steps]?.value?.list?.compactMap(\.value.object) ?? []
    for fields in [raw.fields] + steps {
      guard let with = fields[.with] else { continue }
      for parameter in with.value?.map ?? [] where parameter.name == JobKey.timeout.name {
        guard case .node(let node)? = parameter.value, case .scalar(let scalar) = node.content,
          let length = try? DurationText.parse(scalar.text)
        else { continue }
        found.append((with, (length, parameter.mark)))
      }
    }
    return found
  }

  /// Reports a timeout and retries with which a job with `overlap: skip` misses its own slots.
  func warnOfLongRuns(_ settled: JobDefaults, schedule: Schedule, of raw: RawJob) {
    guard raw.fields.has(.timeout) || raw.fields.has(.retry), settled.policies.overlap.refuses
    else {
      return
    }
    if let field = raw.fields[.timeout], let timeout = field.value?.duration,
      let interval = interval(of: schedule, beside: timeout), timeout > interval
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "the '\(JobKey.timeout)' of \(DurationText.format(timeout)) is longer than the interval of "
          + "\(DurationText.format(interval))",
        hint:
          "a run that takes so long makes takt skip slots: set a shorter '\(JobKey.timeout)', a "
          + "longer interval, or '\(JobKey.overlap)'",
        owner: raw.owner)
    }
    let retry = settled.execution.retry
    guard let field = raw.fields[.retry], retry.attempts > 1, retry.end == .exhausted else {
      return
    }
    let pauses = retry.pausesInAll
    guard let interval = interval(of: schedule, beside: pauses), pauses > interval else { return }
    reporter.report(
      .suspicious, severity: .warning, at: field.keyMark,
      "the pauses between \(retry.attempts) attempts add up to \(DurationText.format(pauses)), longer "
        + "than the interval of \(DurationText.format(interval))",
      hint:
        "takt skips slots meanwhile: use fewer attempts or a shorter '\(Key.delay)', or write 'until: next_slot'",
      owner: KeyOwner(raw.owner, .retry))
  }

  /// The shortest time between two slots, as far as it matters to a length.
  private func interval(of schedule: Schedule, beside length: Duration) -> Duration? {
    let every = schedule.every.flatMap { $0.origin == .end ? nil : $0.interval }
    return [every, shortestGap(of: schedule.rules, for: length)].compactMap(\.self).min()
  }
}

extension RetryPolicy {
  /// The sum of all back-offs, without jitter.
  fileprivate var pausesInAll: Duration {
    within.map { min($0, allPauses) } ?? allPauses
  }

  private var allPauses: Duration {
    var (sum, pause) = (Duration.zero, delay)
    for number in 1..<attempts {
      sum += min(pause, delayMax)
      // The remaining ones are as long as the longest, or as this one.
      if pause >= delayMax || factor == 1 {
        return sum + min(pause, delayMax) * (attempts - 1 - number)
      }
      pause = pause * factor
    }
    return sum
  }
}
