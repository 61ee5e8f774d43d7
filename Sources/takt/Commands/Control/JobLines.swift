import ArgumentParser
import TaktCore
import TaktTime

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One job as lines of text: what its file says first, then its last run and its next slots.
struct JobLines {
  private struct Answer: Decodable {
    struct Slot: Decodable {
      var slot: String
      var due: String
      var causes: [String]
    }

    struct Suspension: Decodable {
      var since: String
      var until: String?
      var reason: String
    }

    struct Key: Decodable {
      var key: String
      var text: String
      var `default`: Bool?
    }

    struct Part: Decodable {
      var path: String
      var text: String
    }

    struct AfterAll: Decodable {
      struct Parent: Decodable {
        var job: String
        var on: String
      }

      struct End: Decodable {
        var job: String
        var at: String
      }

      var missing: [Parent]
      var ended: [End]
    }

    struct Run: Decodable {
      var run: UInt64
      var state: String
      var began: String?
      var ended: String?
      var duration_ms: Double?
      var attempts: Int?
      /// Absent without processes, and from a daemon of an earlier version.
      var cpu_ms: Double?
      var memory_peak: Int64?
      var waits_for: String?
      var parameters: [String: String]?
      var outcome: String?
      var reason: String?
    }

    var name: String
    var state: String
    var description: String?
    var timer: String
    var streak: Int
    var ran: Int
    var late_ms: Double?
    var window_ms: Double?
    var last: Run?
    var active: [Run]
    var suspension: Suspension?
    var stale_since: String?
    var after_all: AfterAll?
    var waits_for_condition: String?
    var slots: [Slot]
    var keys: [Key]
    /// A daemon of an earlier version does not send them.
    var command: [Part]?
    var schedule_words: [String]?
    var surroundings: [Part]?
  }

  /// Keys that `schedule_words` and `command` say in full.
  private static let shownAbove: Set<String> = [
    "every", "from", "align", "cron", "calendar", "rrule", "at", "on", "after", "watch",
    "not_before",
    "until", "limit", "except", "description",
  ]
  /// So many lines of a command are shown.
  private static let commandLinesMax = 12

  let text: String

  init(_ bytes: [UInt8], in zone: Zone) throws {
    guard let job = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
      Console.error(
        "takt: cannot read the daemon's answer; the daemon may have another version of takt")
      throw ExitCode.unreachable
    }
    // A run that goes on hides it.
    let suspended = job.suspension != nil && job.state != "suspended" ? ", suspended" : ""
    var lines = [
      "\(job.name): \(job.state)\(suspended)" + (job.description.map { ": \($0)" } ?? "")
    ]
    if let suspension = job.suspension {
      lines.append(
        "suspended since \(ShownZone.words(suspension.since, in: zone))"
          + (suspension.until.map { " until \(ShownZone.words($0, in: zone))" } ?? "")
          + (suspension.reason.isEmpty ? "" : ": \(suspension.reason)"))
    }
    if let since = job.stale_since {
      lines.append("stale since \(ShownZone.words(since, in: zone)) (expect_success_within)")
    }
    if let slot = job.waits_for_condition {
      lines.append("slot \(ShownZone.words(slot, in: zone)) waits for its condition (only_if)")
    }
    if let ends = job.after_all { lines += Self.words(ends, in: zone) }
    lines += Self.file(job, in: zone)
    lines += job.active.map { run in
      "run \(run.run): \(run.state)"
        + (run.began.map { ", started \(ShownZone.words($0, in: zone))" } ?? "")
        + (run.waits_for.map { ", waits for \($0)" } ?? "") + Self.given(run)
    }
    lines.append(job.last.map { Self.words($0, in: zone) } ?? "last run: none yet")
    lines.append(
      job.slots.isEmpty ? "next slot: none" : "next slot: \(Self.words(job.slots[0], in: zone))")
    lines += job.slots.dropFirst().prefix(2).map { "      then: \(Self.words($0, in: zone))" }
    lines.append("slots that ran: \(job.ran), failed runs in a row: \(job.streak)")
    if let late = job.late_ms {
      let window = job.window_ms.flatMap { $0 > 0 ? ", of \(Self.short($0)) allowed" : nil } ?? ""
      lines.append("last slot started \(Self.short(late)) late\(window)")
    }
    lines.append("timer: \(job.timer)")
    text = lines.map(\.printable).joined(separator: "\n") + "\n"
  }

  private static func words(_ ends: Answer.AfterAll, in zone: Zone) -> [String] {
    let missing = ends.missing.map { $0.on == "success" ? $0.job : "\($0.job) (on \($0.on))" }
    return ["waits for the end of \(missing.joined(separator: ", "))"]
      + ends.ended.map { "  \($0.job) has ended at \(ShownZone.words($0.at, in: zone))" }
  }

  /// What the jobs file says of the job, as far as it is not the default.
  private static func file(_ job: Answer, in zone: Zone) -> [String] {
    let hasWords = job.schedule_words != nil
    var facts: [(key: String, text: String)] = (job.schedule_words ?? []).map {
      ("when", ShownZone.localized($0, in: zone))
    }
    let keys = job.keys.filter {
      $0.default != true && !(hasWords && shownAbove.contains($0.key))
    }
    for part in job.command ?? [] { facts += lines(of: part) }
    facts += keys.map { ($0.key, $0.text) }
    for part in job.surroundings ?? [] { facts += lines(of: part) }
    let width = facts.map(\.key.count).max() ?? 0
    return facts.map { fact in
      "  \(fact.key)\(String(repeating: " ", count: width - fact.key.count))  \(fact.text)"
    }
  }

  /// A value of several lines, the first ones.
  private static func lines(of part: Answer.Part) -> [(key: String, text: String)] {
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

  /// What the trigger set.
  private static func given(_ run: Answer.Run) -> String {
    let set = (run.parameters ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return set.isEmpty ? "" : ", with \(set.joined(separator: " "))"
  }

  private static func words(_ run: Answer.Run, in zone: Zone) -> String {
    var words = "last run \(run.run): \(RunEnd.words(run.outcome ?? "", run.reason))"
    if let ended = run.ended { words += ", ended \(ShownZone.words(ended, in: zone))" }
    if let duration = run.duration_ms { words += ", took \(short(duration))" }
    if let attempts = run.attempts, attempts > 1 { words += ", \(attempts) attempts" }
    if let cpu = run.cpu_ms {
      words += ", used \(short(cpu)) of CPU time"
      if let memory = run.memory_peak { words += " and \(SizeText.brief(memory)) of memory" }
    }
    return words + given(run)
  }

  private static func words(_ slot: Answer.Slot, in zone: Zone) -> String {
    let offset = slot.due == slot.slot ? "" : ", due \(ShownZone.words(slot.due, in: zone))"
    return
      "\(ShownZone.words(slot.slot, in: zone))\(offset) (\(slot.causes.joined(separator: ", ")))"
  }

  private static func short(_ milliseconds: Double) -> String {
    DurationText.brief(.nanoseconds(Int64(milliseconds * 1_000_000)))
  }
}
