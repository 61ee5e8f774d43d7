import TaktCore
import TaktStore
import TaktTime

/// Describes a slot's verdict and its reasons.
struct SlotWords {
  let job: String
  let zone: Zone
  /// Nil if no daemon reports it.
  var standing: JobStanding?
  /// The job's `missed`, such as `last, within 2h`; nil if neither a daemon nor a file has it.
  var missed: String?
  /// The job's `overlap`; nil if neither a daemon nor a file has the job.
  var overlap: Overlap?

  /// The delay from which on a start is late, and its reasons are shown.
  private static let lateFrom = Duration.seconds(1)

  func lines(of slot: SlotEvidence) -> [String] {
    let record = slot.record
    var heading = "\(job), slot \(time(record.slots.first))"
    if record.slots.count > 1 {
      heading += " to \(time(record.slots.last)) (\(record.slots.count) slots)"
    }
    heading += ": \(record.verdict.description)"
    if let run = record.run { heading += ", run \(run.number)" }
    return [heading] + reasons(slot).map { "  \($0)" }
  }

  private func reasons(_ slot: SlotEvidence) -> [String] {
    switch slot.record.verdict {
    case .ran: ran(slot)
    case .skipped(let reason): skipped(reason, slot)
    case .coalesced(let into):
      [
        "Several slots had passed when takt could serve them, and missed.policy is last: the run of "
          + "the slot \(time(into)) covers this one."
      ] + absences(slot)
    case .missed(let cause): missed(cause, slot)
    case .cancelled(let reason): cancelled(reason, slot)
    }
  }

  private func ran(_ slot: SlotEvidence) -> [String] {
    guard let run = slot.run, let began = run.beganAt else {
      return ["Its run is no longer in the ledger."]
    }
    var lines: [String] = []
    let days = slot.schedule?.daysMoved(to: slot.record.slots.first) ?? []
    if !days.isEmpty {
      lines.append(
        "It was moved here from \(days.prefix(5).map { DayFilter.date($0) }.joined(separator: ", ")), "
          + "because of on_excluded.")
    }
    if let lateness = slot.lateness {
      let due = began - lateness
      let delay = due - slot.record.slots.first
      if delay >= .milliseconds(1) {
        lines.append(
          "It was due at \(time(due)), \(brief(delay)) after the slot (spread and jitter).")
      }
      lines.append("It started at \(time(began)), \(brief(lateness)) after it was due.")
      if lateness >= Self.lateFrom { lines += delays(slot, due: due, began: began) }
    } else {
      lines.append("It started at \(time(began)).")
    }
    return lines + [end(of: run)]
  }

  /// The causes of a late start, as far as the ledger shows them.
  private func delays(_ slot: SlotEvidence, due: WallInstant, began: WallInstant) -> [String] {
    var lines = absences(slot)
    if !lines.isEmpty { lines.append("The slot ran late, as 'missed' allows.") }
    for step in slot.steps where step.at >= due && step.at <= began {
      lines.append("The system clock was set by \(signed(step.by)) at \(time(step.at)).")
    }
    if let claimed = slot.claimedAt, began - claimed >= .milliseconds(100) {
      lines.append(
        "It waited \(brief(began - claimed)) for the ledger, which delivery: at_most_once requires."
      )
    }
    if let other = slot.blocking, other.endedAt.map({ $0 <= began }) ?? false {
      lines.append("It waited for run \(other.head.run.number) of the job, \(span(of: other)).")
    } else if slot.activeCount > 0 {
      lines.append(
        "\(slot.activeCount) other run\(slot.activeCount == 1 ? "" : "s") were active when it was due: "
          + "it may have waited for a place (max_running, concurrency).")
    }
    if lines.isEmpty {
      lines.append(
        "No other run, no downtime and no clock change explain it: it is the job's leeway, or takt or "
          + "the machine was busy.")
    }
    return lines
  }

  private func end(of run: StoredRun) -> String {
    guard let end = run.end else { return "Run \(run.head.run.number) has not ended." }
    let attempts = run.attempts > 1 ? " after \(run.attempts) attempts" : ""
    let reason = RunEnd.reason(end.reason.description, of: end.outcome.rawValue)
    return "Run \(run.head.run.number) \(end.outcome.rawValue)\(attempts)"
      + (reason.map { ": \($0)" } ?? "") + (run.duration.map { ", took \(brief($0))" } ?? "") + "."
  }

  private func skipped(_ reason: SkipReason, _ slot: SlotEvidence) -> [String] {
    switch reason {
    case .overlap:
      let other = slot.blocking.map {
        "Run \($0.head.run.number) of the job was active: \(span(of: $0))."
      }
      return [other ?? "Another run of the job was active.", "With overlap: \(overlapRule)."]
    case .queueFull:
      return ["64 runs of the job were already waiting, the most that overlap: queue keeps."]
    case .groupFull:
      return [
        "All places of the job's group in scheduler.concurrency were taken, and its 'when_full' is "
          + "'skip'. With 'wait', the slot would have run late."
      ]
    case .suspended:
      return [suspended(slot)]
    case .excluded:
      let names = slot.schedule?.exclusionNames(at: slot.record.slots.first) ?? []
      let by = names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
      return ["The slot is in a time that is left out\(by)."] + exclusions(slot.schedule)
    case .limit:
      let limit = slot.schedule?.limit.map { " of \($0)" } ?? ""
      return ["The job had run as often as its 'limit'\(limit) allows."]
    case .stopping:
      return ["takt was stopping or drained, and starts no new runs then."] + absences(slot)
    case .ledger:
      return [
        "The ledger did not take the slot within 2 s, and delivery: at_most_once runs nothing that is "
          + "not recorded. Check the disk of the state folder."
      ]
    case .elsewhere: return elsewhere(slot)
    case .unplaced:
      return [
        "No machine of the cluster had the labels that the job needs ('machines'), so the slot ran "
          + "nowhere."
      ] + (standing?.words ?? [])
    case .condition:
      return [
        "The condition of the job (only_if) did not hold. 'takt runs \(job) --hooks' lists the tries, and "
          + "'takt logs' shows what they printed."
      ]
    }
  }

  private func suspended(_ slot: SlotEvidence) -> String {
    if slot.isDisabled == true { return "The job was disabled in the jobs file (enabled: false)." }
    if let suspension = slot.suspension {
      let reason = suspension.reason.isEmpty ? "" : ": \(suspension.reason)"
      return "The job was suspended, since \(time(suspension.since))\(reason)."
    }
    return slot.isDisabled == nil
      ? "The job was suspended, or disabled in the jobs file (enabled: false)."
      : "The job was suspended."
  }

  private func elsewhere(_ slot: SlotEvidence) -> [String] {
    if let run = slot.laterRun {
      return [
        "This machine left the slot to another one, which was lost or gave it back, and ran it then: "
          + "run \(run.head.run.number), \(span(of: run))."
      ]
    }
    guard let standing else {
      return [
        "This machine left the slot to the other machines of the cluster. 'takt verify --cluster' checks "
          + "that one of them has it."
      ]
    }
    return standing.words.isEmpty
      ? ["Another machine of the cluster has the slot; this is no problem."] : standing.words
  }

  private func exclusions(_ schedule: Schedule?) -> [String] {
    (schedule?.words ?? []).filter { $0.hasPrefix("except ") || $0.hasPrefix("only on ") }.map {
      "The schedule says: \($0)."
    }
  }

  private func missed(_ cause: MissCause, _ slot: SlotEvidence) -> [String] {
    let lines: [String]
    switch cause {
    case .down:
      let absences = absences(slot)
      lines =
        absences.isEmpty
        ? ["It did not run: takt was not running when it was due, or did not know the slot."]
        : ["It did not run: takt was not running when it was due."] + absences
    case .asleep: lines = ["It did not run: the machine was asleep when it was due."]
    case .clock:
      let steps = slot.steps.filter { $0.by > .zero }
      lines =
        steps.isEmpty
        ? ["It did not run: the system clock was set forward over the slot."]
        : steps.map {
          "It did not run: the system clock was set by \(signed($0.by)) at \(time($0.at)), over the slot."
        }
    case .stalled:
      lines = [
        "It did not run: takt or the whole machine was stopped or too slow when it was due."
      ]
    case .engine:
      lines = [
        "It did not run: the database of the cluster did not answer until it was too late."
      ]
    case .drained: lines = ["It did not run: takt was drained when it was due (takt drain)."]
    case .lateTimes:
      lines =
        [
          "It did not run late: the times in which the job allows that (missed.only_on) begin only when "
            + "the slot is too old."
        ] + absences(slot)
    }
    let late = slot.record.at - slot.record.slots.last
    let delay = late >= .seconds(1) ? ", \(brief(late)) after the slot" : ""
    return lines + ["takt gave it up at \(time(slot.record.at))\(delay). \(missedRule)"]
  }

  /// The effect of the job's own `overlap`, which may have been another one then.
  private var overlapRule: String {
    guard let overlap else {
      return Overlap.list("; with ") { overlap in overlap.skips.map { "\(overlap), \($0)" } }
    }
    return "\(overlap), \(overlap.skips ?? "which the job has now, no slot is passed over")"
  }

  /// The effect of the job's own `missed` on slots such as this one.
  private var missedRule: String {
    guard let missed else {
      return
        "The job's 'missed' decides which slots run late instead: by default the newest one, if it is "
        + "not older than the job's interval."
    }
    let age =
      missed.contains("within ")
      ? "it is not older than 'within'" : "it is not older than the job's interval"
    let rule =
      switch missed.prefix(while: { $0 != "," }) {
      case "skip": "a slot that takt could not serve in its time never runs late"
      case "all": "such slots run late, the newest ones up to 'max', each if \(age)"
      default: "of such slots the newest one runs late, if \(age)"
      }
    return "The job has 'missed: \(missed)': \(rule)."
  }

  private func cancelled(_ reason: CancelReason, _ slot: SlotEvidence) -> [String] {
    let at = time(slot.record.at)
    return switch reason {
    case .removed: ["A reload at \(at) removed the job before the slot started."]
    case .displaced:
      [
        "The schedule was changed, and its leeway no longer allows the slot; or another machine of the "
          + "cluster had a newer schedule by then. takt decided so at \(at)."
      ]
    case .byOperator: ["An operator cancelled its run at \(at), before it started."]
    }
  }

  private func absences(_ slot: SlotEvidence) -> [String] {
    slot.absences.map { absence in
      let stop =
        absence.wasKilled
        ? "takt was killed, or the machine lost power: it was last seen at \(time(absence.from))"
        : "takt was stopped at \(time(absence.from))"
      return stop + (absence.to.map { ", and started again at \(time($0))." } ?? ".")
    }
  }

  func span(of run: StoredRun) -> String {
    let began = run.beganAt.map { "started at \(time($0))" } ?? "not started"
    return began + (run.endedAt.map { ", ended at \(time($0))" } ?? ", not ended")
  }

  func time(_ instant: WallInstant) -> String { instant.rfc3339(in: zone) }

  private func brief(_ duration: Duration) -> String { DurationText.brief(duration) }

  private func signed(_ duration: Duration) -> String {
    (duration < .zero ? "" : "+") + brief(duration)
  }
}

extension SlotWords {
  /// `at 18:00`, or a day from its start to its end.
  func time(_ period: TypedPeriod) -> String {
    period.isLong
      ? "from \(time(period.first)) to \(time(period.end))" : "at \(time(period.first))"
  }

  /// The facts besides the slots in question.
  func lines(of inquiry: SlotInquiry, from period: TypedPeriod?) -> [String] {
    var lines: [String] = []
    if let pending = inquiry.pending {
      let what = inquiry.condition == nil ? "its verdict" : "its condition (only_if)"
      lines.append("\(job), slot \(time(pending)): waits for \(what)")
      lines.append("  " + wait(inquiry))
    }
    if let suspension = inquiry.suspension {
      lines.append(
        "\(job) is suspended since \(time(suspension.since))"
          + (suspension.until.map { " until \(time($0))" } ?? ", until 'takt resume'")
          + (suspension.reason.isEmpty ? "" : ": \(suspension.reason)"))
    }
    guard inquiry.slots.isEmpty, inquiry.pending == nil else { return lines }
    guard let period else {
      return lines + ["no slot of \(job) has been decided yet"] + known(inquiry)
    }
    lines.insert("\(job) has no slot \(time(period)) in the ledger", at: 0)
    return lines + known(inquiry, at: period.first)
      + [("before", inquiry.before), ("after", inquiry.after)].compactMap { word, record in
        record.map {
          "  the slot \(word) it: \(time(word == "before" ? $0.slots.last : $0.slots.first)), "
            + $0.verdict.description
        }
      }
  }

  private func wait(_ inquiry: SlotInquiry) -> String {
    if let check = inquiry.condition {
      return "Run \(check.head.run.number) is the condition: \(span(of: check))."
    }
    if let active = inquiry.active {
      return "Run \(active.head.run.number) of the job has not ended: \(span(of: active))."
    }
    if let failure = standing?.engineFailure {
      return "It waits for the database of the cluster, which does not answer: \(failure)"
    }
    return inquiry.activeCount > 0
      ? "\(inquiry.activeCount) runs are active: it waits for a place (max_running, concurrency), or for "
        + "its turn among late slots."
      : missed?.contains("only_on ") == true
        ? "It waits for a time in which missed slots may start (missed.only_on), for its turn among late "
          + "slots, or takt is not running."
        : "It waits for its turn among late slots, or takt is not running."
  }

  private func known(_ inquiry: SlotInquiry, at instant: WallInstant? = nil) -> [String] {
    guard let since = inquiry.knownSince else { return [] }
    if let instant, instant < since {
      return ["  takt has known the job only since \(time(since))"]
    }
    guard let schedule = inquiry.schedule else {
      return instant == nil ? [] : ["  the jobs file did not have the job then"]
    }
    let moved = instant.flatMap { schedule.moved($0) }.map {
      ["  on_excluded moved its slot to \(time($0))"]
    }
    return (moved ?? [])
      + schedule.words.map { "  its schedule: \(ShownZone.localized($0, in: zone))" }
  }
}
