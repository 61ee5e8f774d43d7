import TaktCore
import TaktEngine
import TaktStore
import TaktTime

/// The slots of a job at an instant to come: when they will run, and what may hold them up.
struct FutureSlots {
  /// So many are shown.
  private static let shownMax = 5
  /// So many are counted to find out whether a job's `limit` is reached by then.
  private static let countedMax = 100_000

  private let name: JobName
  /// Nil where the jobs file does not have the job, or cannot be read.
  private let spec: JobSpec?
  private let previous: PreviousJob?
  private let inquiry: SlotInquiry
  private let words: SlotWords

  init(
    _ name: JobName, _ snapshot: Snapshot?, _ archive: LedgerArchive, _ inquiry: SlotInquiry,
    _ words: SlotWords
  ) {
    self.name = name
    spec = snapshot?.jobs.first { $0.name == name }
    previous =
      (try? archive.previous(of: name, boot: BootIdentity.current(), zones: ZoneFiles()))?
      .jobs[name]
    self.inquiry = inquiry
    self.words = words
  }

  /// A slot to come, as `--json` prints it.
  private struct Answer: Encodable {
    var job: String
    var slot: String
    var due: String
    var verdict: String?
    var words: [String]
  }

  /// - Parameter isRunning: whether there is a daemon.
  func show(from first: WallInstant, to end: WallInstant, isRunning: Bool, json: Bool) {
    let now = SystemTimeSource().now
    let found = slots(from: first, now, isExcluding: false).prefix { $0.nominal < end }
    let kept = Set(slots(from: first, now, isExcluding: true).map(\.nominal))
    for slot in found {
      let lines = lines(of: slot, isExcluded: !kept.contains(slot.nominal), now, isRunning)
      if json {
        Console.print(
          Answer(
            job: name.text, slot: slot.nominal.rfc3339(), due: slot.due.rfc3339(), verdict: nil,
            words: lines
          ).jsonLine)
      } else {
        for line in lines { Console.print(line.printable) }
      }
    }
    guard found.isEmpty, !json else { return }
    for line in noSlot(at: first, now) { Console.print(line.printable) }
  }

  /// The next slots from an instant on, as if nothing happened until then.
  private func slots(from first: WallInstant, _ now: Now, isExcluding: Bool) -> [Slot] {
    guard var spec else { return [] }
    // They are counted by themselves.
    spec.timing.schedule.limit = nil
    if !isExcluding { spec.timing.schedule.exclusions = [] }
    let start = first - .milliseconds(1)
    let then = Now(wall: start, monotonic: now.monotonic + (start - now.wall))
    return SlotPreview.slots(
      of: spec, after: previous, startingAt: then, count: Self.shownMax
    ).filter { $0.nominal >= first }
  }

  private func lines(
    of slot: Slot, isExcluded: Bool, _ now: Now, _ isRunning: Bool
  ) -> [String] {
    var lines = ["\(name.text), slot \(words.time(slot.nominal)): to come"]
    var reasons: [String] = []
    if isExcluded { reasons.append("It will not run: it is in a time that 'except' leaves out.") }
    if spec?.timing.isEnabled == false {
      reasons.append("It will not run: the job is disabled in the jobs file (enabled: false).")
    }
    if let limit = reachedLimit(before: slot, now) { reasons.append(limit) }
    if let suspension = inquiry.suspension,
      suspension.until.map({ $0 > slot.nominal }) ?? true
    {
      let until = suspension.until.map { "until \(words.time($0))" } ?? "until 'takt resume'"
      reasons.append(
        "It will not run unless the job is resumed before: the job is suspended \(until)"
          + (suspension.reason.isEmpty ? "." : " (\(suspension.reason))."))
    }
    if reasons.isEmpty {
      let causes = slot.causes.sorted().map(\.rawValue).joined(separator: ", ")
      let delay =
        slot.offset > .zero
        ? ", \(DurationText.brief(slot.offset)) after the slot (spread and jitter)" : ""
      let window =
        slot.window > .zero ? ", or up to \(DurationText.brief(slot.window)) later (leeway)" : ""
      reasons.append("It will run at \(words.time(slot.due))\(delay)\(window) (\(causes)).")
      if let spec, let active = inquiry.active { reasons.append(overlap(spec.overlap, active)) }
    }
    if !isRunning {
      reasons.append(
        "takt is not running now. If it is not by then, 'missed' says whether the slot runs late.")
    }
    lines += reasons.map { "  \($0)" }
    return lines
  }

  private func overlap(_ overlap: Overlap, _ active: StoredRun) -> String {
    let run = "Run \(active.head.run.number) of the job is active: \(words.span(of: active))."
    return switch overlap {
    case .skip: "\(run) If it has not ended by then, the slot is passed over (overlap: skip)."
    case .queue: "\(run) If it has not ended by then, the slot waits for it (overlap: queue)."
    case .replace: "\(run) If it has not ended by then, it is stopped (overlap: replace)."
    case .allow: "\(run) The slot runs beside it (overlap: allow)."
    }
  }

  private func reachedLimit(before slot: Slot, _ now: Now) -> String? {
    guard let spec, let limit = spec.timing.schedule.limit else { return nil }
    let left = limit - (previous?.checkpoint.ranCount ?? 0)
    guard left > 0 else {
      return "It will not run: the job has run as often as its 'limit' of \(limit) allows."
    }
    guard left <= Self.countedMax else { return nil }
    let allowed = SlotPreview.slots(of: spec, after: previous, startingAt: now, count: left)
    guard let last = allowed.last, last.nominal < slot.nominal else { return nil }
    return
      "It will not run: by then the job will have run as often as its 'limit' of \(limit) allows."
  }

  private func noSlot(at first: WallInstant, _ now: Now) -> [String] {
    guard let spec else {
      return [
        "\(words.time(first)) is to come, and no jobs file that takt can read says when \(name.text) runs; "
          + "name one with -f"
      ]
    }
    var lines = ["\(name.text) will have no slot at \(words.time(first))"]
    if let before = SlotPreview.slots(
      of: spec, after: previous, startingAt: now, count: Self.shownMax
    ).first {
      lines.append("  the next slot from now: \(words.time(before.nominal))")
    }
    if let after = slots(from: first, now, isExcluding: true).first {
      lines.append("  the next slot after that time: \(words.time(after.nominal))")
    }
    lines += spec.timing.schedule.words.map {
      "  its schedule: \(ShownZone.localized($0, in: words.zone))"
    }
    if spec.timing.schedule.hasUnforeseen {
      lines.append(
        "  slots that depend on an event, such as the end of another run, are not foreseen")
    }
    return lines
  }
}
