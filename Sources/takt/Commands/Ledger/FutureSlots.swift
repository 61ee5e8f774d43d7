import TaktCore
import TaktStore
import TaktTime

/// The slots of a job in a future range: their times, and possible obstacles.
struct FutureSlots {
  let name: JobName
  /// Nil if neither a daemon nor a readable jobs file has the job.
  let forecast: SlotForecast?
  let inquiry: SlotInquiry
  let words: SlotWords
  let daemon: Daemon

  enum Daemon {
    case isDown
    /// It runs, and has the job.
    case hasJob
    /// It runs, and only the file has the job.
    case lacksJob
  }

  private struct Answer: Encodable {
    var job: String
    var slot: String
    var due: String
    var verdict: String?
    var words: [String]
  }

  var hasEntries: Bool { forecast?.entries.isEmpty == false }

  func show(of period: TypedPeriod, json: Bool) {
    showEntries(json: json, after: false)
    if hasEntries { return }
    for line in noSlot(of: period) {
      if json { Console.error("takt: \(line.printable)") } else { Console.print(line.printable) }
    }
  }

  /// - Parameter isAfter: true if decided slots are printed above.
  func showEntries(json: Bool, after isAfter: Bool) {
    let entries = forecast?.entries ?? []
    if entries.count == SlotForecast.entriesMax {
      Console.error(
        "takt: only the first \(entries.count) slots to come are explained; 'takt next' lists more")
    }
    for (place, entry) in entries.enumerated() {
      let lines = lines(of: entry)
      if !json, place == 0, isAfter { Console.print("") }
      if json {
        Console.print(
          Answer(
            job: name.text, slot: entry.nominal.rfc3339(), due: entry.due.rfc3339(), verdict: nil,
            words: lines
          ).jsonLine)
      } else {
        for line in lines { Console.print(line.printable) }
      }
    }
  }

  private func lines(of entry: SlotForecast.Entry) -> [String] {
    let lines = ["\(name.text), slot \(words.time(entry.nominal)): to come"]
    var reasons: [String] = []
    if entry.isExcluded {
      reasons.append("It will not run: it is in a time that 'except' leaves out.")
    }
    if forecast?.isEnabled == false {
      reasons.append("It will not run: the job is disabled in the jobs file (enabled: false).")
    }
    if entry.isBeyondLimit { reasons.append(reachedLimit) }
    if let suspension = inquiry.suspension,
      suspension.until.map({ $0 > entry.nominal }) ?? true
    {
      let until = suspension.until.map { "until \(words.time($0))" } ?? "until 'takt resume'"
      reasons.append(
        "It will not run unless the job is resumed before: the job is suspended \(until)"
          + (suspension.reason.isEmpty ? "." : " (\(suspension.reason))."))
    }
    if reasons.isEmpty {
      let causes = entry.causes.map(\.rawValue).joined(separator: ", ")
      let offset = entry.due - entry.nominal
      let delay =
        offset > .zero
        ? ", \(DurationText.brief(offset)) after the slot (spread and jitter)" : ""
      let window =
        entry.window > .zero ? ", or up to \(DurationText.brief(entry.window)) later (leeway)" : ""
      let condition =
        forecast?.hasCondition == true ? ", if its condition (only_if) holds then" : ""
      reasons.append(
        "It will run at \(words.time(entry.due))\(delay)\(window) (\(causes))\(condition).")
      if let forecast, let active = inquiry.active {
        reasons.append(overlap(forecast.overlap, active))
      }
    }
    return lines + (reasons + daemonWords).map { "  \($0)" }
  }

  private var daemonWords: [String] {
    switch daemon {
    case .hasJob: []
    case .isDown:
      ["takt is not running now. If it is not by then, 'missed' says whether the slot runs late."]
    case .lacksJob:
      ["The running daemon does not have the job yet. Run 'takt reload' to load it."]
    }
  }

  private func overlap(_ overlap: Overlap, _ active: StoredRun) -> String {
    let run = "Run \(active.head.run.number) of the job is active: \(words.span(of: active))."
    return "\(run) \(overlap.meeting.ofSlot) (overlap: \(overlap.rawValue))."
  }

  private var reachedLimit: String {
    let limit = "'limit' of \(forecast?.limit ?? 0)"
    return forecast?.isLimitReached == true
      ? "It will not run: the job has run as often as its \(limit) allows."
      : "It will not run: by then the job will have run as often as its \(limit) allows."
  }

  private func noSlot(of period: TypedPeriod) -> [String] {
    guard let forecast else {
      return [
        "\(words.time(period.first)) is to come, and no jobs file that takt can read says when \(name.text) runs; "
          + "name one with -f"
      ]
    }
    var lines = ["\(name.text) will have no slot \(words.time(period))"]
    if let next = forecast.next { lines.append("  the next slot from now: \(words.time(next))") }
    if let later = forecast.later {
      lines.append("  the next slot after that time: \(words.time(later))")
    }
    lines += forecast.scheduleWords.map {
      "  its schedule: \(ShownZone.localized($0, in: words.zone))"
    }
    if forecast.hasUnforeseen {
      lines.append(
        "  slots that depend on an event, such as the end of another run, are not foreseen")
    }
    if daemon == .lacksJob { lines += daemonWords.map { "  \($0)" } }
    return lines
  }
}
