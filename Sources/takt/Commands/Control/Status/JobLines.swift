import TaktAPI
import TaktCore
import TaktTime

/// One job as lines of text: its settings first, then its last run and its next slots.
struct JobLines {
  /// Keys that `schedule_words` and `command` show in full.
  private static let shownAbove: Set<String> = [
    "every", "from", "align", "cron", "calendar", "rrule", "at", "on", "after", "watch",
    "not_before",
    "until", "limit", "except", "description",
  ]
  private static let commandLinesMax = 12

  let text: String

  init(_ detail: API.JobDetail, in zone: Zone) {
    let job = detail.job
    // The state of an active run hides it.
    let suspended = job.suspension != nil && job.state != "suspended" ? ", suspended" : ""
    let stale = job.stale == true || job.staleSince != nil
    var lines = [
      "\(job.name)\(job.displayName.map { " (\($0))" } ?? ""): \(job.state)\(stale ? ", stale" : "")\(suspended)"
        + (job.description.map { ": \($0)" } ?? "")
    ]
    if let suspension = job.suspension {
      lines.append(
        "suspended since \(suspension.since.rfc3339(in: zone))"
          + (suspension.until.map { " until \($0.rfc3339(in: zone))" } ?? "")
          + (suspension.reason.isEmpty ? "" : ": \(suspension.reason)"))
    }
    if let since = job.staleSince {
      lines.append("stale since \(since.rfc3339(in: zone)) (expect_success_within)")
    } else if stale {
      lines.append("stale: its slots pass without a run")
    }
    lines += Self.notRun(job, in: zone)
    lines += (job.problems ?? []).map { problem in
      "problem: \(problem.message)"
        + (problem.since.map { " Since \($0.rfc3339(in: zone))." } ?? "")
        + (problem.run.map { " 'takt logs \($0)' shows its output." } ?? "")
    }
    if let slot = job.waitsForCondition {
      lines.append("slot \(slot.rfc3339(in: zone)) waits for its condition (only_if)")
    }
    if let ends = job.afterAll { lines += Self.words(ends, in: zone) }
    lines += Self.file(detail, in: zone)
    lines += job.active.map { run in
      "run \(run.run): \(run.state)"
        + (run.began.map { ", started \($0.rfc3339(in: zone))" } ?? "")
        + (run.waitsFor.map { ", waits for \($0)" } ?? "") + run.given
    }
    lines.append(job.last.map { Self.words($0, in: zone) } ?? "last run: none yet")
    lines.append(
      detail.slots.isEmpty
        ? "next slot: none" : "next slot: \(Self.words(detail.slots[0], in: zone))")
    lines += detail.slots.dropFirst().prefix(2).map { "      then: \(Self.words($0, in: zone))" }
    lines.append("slots that ran: \(job.ran), failed runs in a row: \(job.streak)")
    if let late = job.late {
      let window =
        job.window.flatMap { $0 > .zero ? ", of \(DurationText.brief($0)) allowed" : nil } ?? ""
      lines.append("last slot started \(DurationText.brief(late)) late\(window)")
    }
    lines.append("timer: \(job.timer)")
    text = lines.map(\.printable).joined(separator: "\n") + "\n"
  }

  /// The number of the last slots that did not run, as in NOT RUN of the list, with the newest
  /// one's reason.
  private static func notRun(_ job: API.Job, in zone: Zone) -> [String] {
    let count = job.verdicts.utf8.count { "smx".utf8.contains($0) }
    guard count > 0, let newest = job.passed else { return [] }
    let total = job.verdicts.utf8.count
    let reason = newest.reason.map { "(\($0))" } ?? ""
    let slot = newest.slot.rfc3339(in: zone)
    return [
      "slots that did not run: \(count) of the last \(total), the newest \(slot): "
        + "\(newest.verdict)\(reason); 'takt why \(job.name) --at \(slot)' says why"
    ]
  }

  private static func words(_ ends: API.Job.AfterAll, in zone: Zone) -> [String] {
    let missing = ends.missing.map { $0.on == "success" ? $0.job : "\($0.job) (on \($0.on))" }
    return ["waits for the end of \(missing.joined(separator: ", "))"]
      + ends.ended.map { "  \($0.job) has ended at \($0.at.rfc3339(in: zone))" }
  }

  /// The job's settings other than the defaults.
  private static func file(_ job: API.JobDetail, in zone: Zone) -> [String] {
    // A daemon of an earlier version does not send them.
    let hasWords = !job.scheduleWords.isEmpty
    var facts: [(key: String, text: String)] = job.scheduleWords.map {
      ("when", ShownZone.localized($0, in: zone))
    }
    let keys = job.keys.filter {
      $0.default != true && !(hasWords && shownAbove.contains($0.key))
    }
    for part in job.command { facts += lines(of: part) }
    facts += keys.map { ($0.key, $0.text) }
    for part in job.surroundings ?? [] { facts += lines(of: part) }
    let width = facts.map(\.key.count).max() ?? 0
    return facts.map { fact in
      "  \(fact.key)\(String(repeating: " ", count: width - fact.key.count))  \(fact.text)"
    }
  }

  /// The first lines of a value of several lines.
  private static func lines(of part: API.JobDetail.Part) -> [(key: String, text: String)] {
    var facts: [(key: String, text: String)] = []
    let all = part.text.split(separator: "\n", omittingEmptySubsequences: true)
    for line in all.prefix(commandLinesMax) {
      facts.append((facts.isEmpty ? part.path : "", String(line)))
    }
    if all.count > commandLinesMax {
      facts.append(("", "… \(all.count - commandLinesMax) more lines"))
    }
    return facts.isEmpty ? [(part.path, "\"\"")] : facts
  }

  private static func words(_ run: API.Run, in zone: Zone) -> String {
    var words = "last run \(run.run): \(RunEnd.words(run.outcome ?? "", run.reason))"
    if let ended = run.ended { words += ", ended \(ended.rfc3339(in: zone))" }
    if let duration = run.duration { words += ", took \(DurationText.brief(duration))" }
    if run.attempts > 1 { words += ", \(run.attempts) attempts" }
    if let cpu = run.cpu {
      words += ", used \(DurationText.brief(cpu)) of CPU time"
      if let memory = run.memoryPeak { words += " and \(SizeText.brief(memory)) of memory" }
    }
    return words + run.given
  }

  private static func words(_ slot: API.Slot, in zone: Zone) -> String {
    let offset = slot.due == slot.slot ? "" : ", due \(slot.due.rfc3339(in: zone))"
    return
      "\(slot.slot.rfc3339(in: zone))\(offset) (\(slot.causes.joined(separator: ", ")))"
  }
}

extension API.Run {
  /// The parameters of the trigger: `, with month=2026-05`; empty for none.
  var given: String {
    let set = (parameters ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return set.isEmpty ? "" : ", with \(set.joined(separator: " "))"
  }
}
