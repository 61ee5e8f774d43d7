import TaktCore
import TaktTime

/// The delay between a timer's times and the start of its service.
extension TimerImport {
  func setAccuracy(of timer: Unit, in draft: inout JobDraft) {
    let entry = timer.last("Timer", "AccuracySec")
    var leeway = Duration.seconds(60)
    if let entry {
      guard case .duration(let given)? = UnitValue.span(entry.value) else {
        return report.lose(entry, "this is no length of time", in: draft.name)
      }
      leeway = given
    }
    let isExact = leeway <= .milliseconds(1)
    if !isExact, draft[.calendar] != nil || draft[.every] != nil {
      draft[.leeway] = .word(DurationText.format(leeway))
    }
    if let entry {
      report.keep(
        entry, as: "leeway", in: draft.name,
        values: draft[.leeway] == nil ? [] : [DurationText.format(leeway)])
    }
  }

  func setDelay(of timer: Unit, in draft: inout JobDraft) {
    let isTimed = draft[.calendar] != nil || draft[.every] != nil
    let isFixed = timer.flag("Timer", "FixedRandomDelay") ?? false
    if let entry = timer.last("Timer", "FixedRandomDelay") {
      report.keep(entry, as: isFixed ? "spread" : "jitter", in: draft.name)
    }
    for (key, isStable) in [("RandomizedDelaySec", isFixed), ("RandomizedOffsetSec", true)] {
      guard let entry = timer.last("Timer", key) else { continue }
      guard case .duration(let delay)? = UnitValue.span(entry.value) else {
        report.lose(entry, "this is no length of time", in: draft.name)
        continue
      }
      guard delay > .zero, isTimed else {
        report.keep(entry, as: "no delay", in: draft.name)
        continue
      }
      let text = DurationText.format(delay)
      if isStable {
        guard draft[.spread] == nil else {
          report.lose(entry, "takt has one 'spread' for each job", in: draft.name)
          continue
        }
        draft[.spread] = .mapping(["over": .word(text), "by": .word("host")])
      } else {
        draft[.jitter] = .word(text)
      }
      report.keep(entry, as: isStable ? "spread" : "jitter", in: draft.name, values: [text])
    }
  }

  /// A slot of takt starts before the next one is due. With an interval, takt refuses longer
  /// delays; with calendar times it shortens them as needed.
  func fit(_ draft: inout JobDraft, _ timer: Unit) {
    let isFixed = timer.flag("Timer", "FixedRandomDelay") == true
    let delay = timer.last("Timer", "RandomizedDelaySec")
    let offset = timer.last("Timer", "RandomizedOffsetSec")
    guard case .word(let text)? = draft[.every], var room = try? DurationText.parse(text) else {
      dropUsualLeeway(in: &draft, timer)
      return noteGap(in: draft, [delay, offset].compactMap(\.self))
    }
    for (key, entry) in [(JobKey.spread, isFixed ? delay : offset), (.jitter, delay)] {
      guard let length = Self.length(of: key, in: draft) else { continue }
      let fitting = length < room ? length : Self.longest(below: room)
      room -= fitting
      guard fitting < length else { continue }
      let word = DraftValue.word(DurationText.format(fitting))
      draft[key] = key == .jitter ? word : .mapping(["over": word, "by": .word("host")])
      guard let entry else { continue }
      report.differ(
        entry,
        "at most \(DurationText.format(fitting)): a delay of takt is shorter than the interval, and "
          + "is not added to it", in: draft.name)
    }
    guard let leeway = Self.length(of: .leeway, in: draft), leeway >= room else { return }
    draft[.leeway] = nil
    if let entry = timer.last("Timer", "AccuracySec") {
      report.differ(entry, "takt starts it without a leeway, which would not fit", in: draft.name)
    }
  }

  /// systemd's default minute is not worth a warning of takt if it does not fit.
  private func dropUsualLeeway(in draft: inout JobDraft, _ timer: Unit) {
    guard timer.last("Timer", "AccuracySec") == nil, draft[.leeway] != nil,
      let gap = Self.shortestGap(of: draft.times),
      Self.sum(of: [.spread, .jitter, .leeway], in: draft) >= gap
    else { return }
    draft[.leeway] = nil
  }

  private func noteGap(in draft: JobDraft, _ delays: [UnitEntry]) {
    let length = Self.sum(of: [.spread, .jitter], in: draft)
    guard length > .zero, let gap = Self.shortestGap(of: draft.times), length >= gap else { return }
    for entry in delays {
      report.differ(
        entry, "takt shortens it where the next run would be due before its end", in: draft.name)
    }
  }

  private static func sum(of keys: [JobKey], in draft: JobDraft) -> Duration {
    keys.reduce(.zero) { $0 + (length(of: $1, in: draft) ?? .zero) }
  }

  private static func length(of key: JobKey, in draft: JobDraft) -> Duration? {
    let text: String
    switch draft[key] {
    case .word(let word)?: text = word
    case .map(let entries)?:
      guard case .word(let word)? = entries.first?.value else { return nil }
      text = word
    default: return nil
    }
    return try? DurationText.parse(text)
  }

  /// Rounded down to whole seconds if there is room for one.
  private static func longest(below room: Duration) -> Duration {
    let milliseconds = max(room.milliseconds - 1, 0)
    return .milliseconds(milliseconds >= 1000 ? milliseconds / 1000 * 1000 : milliseconds)
  }

  private static let gapsMax = 50

  /// The shortest gap between the first times since 1970; nil with fewer than two.
  private static func shortestGap(of times: [SourceTime]) -> Duration? {
    var instants: Set<Int64> = []
    for case .calendar(let text) in times {
      guard let expression = try? CalendarExpression(text) else { continue }
      var instant = WallInstant(milliseconds: 0)
      for _ in 0..<gapsMax {
        guard let next = expression.next(after: instant, in: .utc) else { break }
        instants.insert(next.milliseconds)
        instant = next
      }
    }
    let sorted = instants.sorted()
    return zip(sorted.dropFirst(), sorted).map { $0 - $1 }.min().map { .milliseconds($0) }
  }
}
