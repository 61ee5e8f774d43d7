import TaktCore
import TaktTime

/// Keys under `retry` that contradict each other, or the job.
extension SpecBuilder {
  func checkRetry(_ settled: JobDefaults, _ action: Action?, of raw: RawJob) {
    guard let own = raw.fields[.retry]?.value?.object else { return }
    let retry = settled.execution.retry
    let given = own.fields.filter { $0.value?.isNull == false }
    // An invalid number of attempts has been reported; it may have been meant as many.
    let isCounted = own[Key.attempts].map { $0.value != nil } ?? true
    if isCounted, retry.attempts == 1, let idle = given.first(where: { $0.name != Key.attempts }) {
      reporter.report(
        .conflictingKeys, at: idle.keyMark,
        "'\(idle.name)' has no effect unless '\(Key.attempts)' is more than 1",
        hint: "add '\(Key.attempts): 3', or remove '\(idle.name)'",
        owner: KeyOwner(raw.owner, .retry))
    } else if retry.delay > retry.delayMax {
      let field = own[Key.delay] ?? own[Key.maximum]
      let texts = (DurationText.format(retry.delay), DurationText.format(retry.delayMax))
      reporter.report(
        .outOfRange, at: field?.mark ?? raw.nameMark,
        "the '\(Key.delay)' of \(texts.0) is longer than the '\(Key.maximum)' of \(texts.1)",
        hint: "set both under '\(JobKey.retry)'", owner: raw.owner)
    } else if let within = retry.within, within <= retry.delay {
      let field = own[Key.within] ?? own[Key.delay]
      reporter.report(
        .outOfRange, at: field?.mark ?? raw.nameMark,
        "the '\(Key.within)' of \(DurationText.format(within)) is not longer than the "
          + "'\(Key.delay)' of \(DurationText.format(retry.delay)): no failure is retried",
        hint: "set both under '\(JobKey.retry)'", owner: raw.owner)
    }
    if let on = own[Key.on] { warnOfIdleFailures(on, settled.execution.success, action, of: raw) }
  }

  /// Reports failures under `on` that never happen, or that another one includes.
  private func warnOfIdleFailures(
    _ on: KeyFields.Field, _ success: SuccessRule, _ action: Action?, of raw: RawJob
  ) {
    let items = on.value?.list ?? []
    let coversAll = items.contains { $0.value.text == RetryPolicy.Cause.exit.rawValue }
    let isOfBuiltins =
      action?.steps.allSatisfy {
        guard case .use = $0.action else { return false }
        return !traits(of: $0.action).contains(.hasExitStatus)
      } ?? false
    var seen: Set<String> = []
    for item in items {
      let name = item.value.text ?? item.value.integer.map(String.init) ?? ""
      let status = item.value.integer.map(Int32.init)
      let problem: String? =
        if !seen.insert(name).inserted {
          "'\(name)' is listed twice"
        } else if status == nil {
          nil
        } else if isOfBuiltins {
          "the exit status \(name) has no effect on built-ins"
        } else if coversAll {
          "'\(RetryPolicy.Cause.exit.rawValue)' includes the exit status \(name)"
        } else if let status, success.exitStatuses.contains(status) {
          "the exit status \(name) counts as success, and is never retried"
        } else {
          nil
        }
      guard let problem else { continue }
      reporter.report(
        .conflictingKeys, severity: .warning, at: item.mark, problem, hint: "remove it",
        owner: KeyOwner(raw.owner, .retry))
    }
  }
}
