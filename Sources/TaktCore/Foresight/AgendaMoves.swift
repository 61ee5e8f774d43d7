import TaktTime

extension Agenda.Foreseen {
  /// The effects of holidays and clock changes on slots of the range, in the order of time.
  func moves(in range: Agenda.Range) -> [Agenda.Move] {
    var changes = ZoneChanges(range)
    var moves: [Agenda.Move] = []
    // The bound of all jobs together, separate from that for runs.
    var looks = Agenda.slotsMax
    for foreseen in jobs {
      moves += excluded(foreseen, in: range, &looks)
      moves += moved(foreseen, in: range)
      moves += changes.moves(of: foreseen.job.spec)
    }
    return moves.sorted { $0.at != $1.at ? $0.at < $1.at : $0.job < $1.job }
  }

  private func excluded(
    _ foreseen: Job, in range: Agenda.Range, _ looks: inout Int
  ) -> [Agenda.Move] {
    guard looks > 0 else { return [] }
    let (left, used) = foreseen.job.excluded(
      in: range, count: min(looks, foreseen.slots.count + Agenda.movesMax))
    looks -= used
    guard let first = left.first, let last = left.last else { return [] }
    let schedule = foreseen.job.spec.timing.schedule
    let names = schedule.exclusionNames(at: first).joined(separator: ", ")
    let more =
      left.count == 1 ? "" : "; \(left.count) slots, to \(last.rfc3339(in: range.zone))"
    return [
      Agenda.Move(
        kind: .excluded, job: foreseen.job.spec.name, at: first, words: "left out: \(names)\(more)")
    ]
  }

  private func moved(_ foreseen: Job, in range: Agenda.Range) -> [Agenda.Move] {
    let spec = foreseen.job.spec
    return foreseen.slots.prefix(Agenda.slotsShown).compactMap { slot in
      let days = spec.timing.schedule.daysMoved(to: slot.nominal)
      guard !days.isEmpty else { return nil }
      return Agenda.Move(
        kind: .moved, job: spec.name, at: slot.nominal,
        words: "moved from " + days.map { DayFilter.date($0) }.joined(separator: ", "))
    }
  }
}

/// Clock changes of zones in a range, each looked up once.
private struct ZoneChanges {
  private let range: Agenda.Range
  private var zones: [Zone: Bool] = [:]

  init(_ range: Agenda.Range) { self.range = range }

  mutating func moves(of spec: JobSpec) -> [Agenda.Move] {
    spec.timing.schedule.rules.filter { changes($0.zone) }.flatMap { rule in
      rule.clockChanges(after: range.from).filter { $0.at < range.to }.map { change in
        Agenda.Move(
          kind: .clock, job: spec.name, at: change.at, words: change.words(in: range.zone))
      }
    }
  }

  private mutating func changes(_ zone: Zone) -> Bool {
    if let known = zones[zone] { return known }
    let isChanging = zone.nextChange(after: range.from).map { $0 < range.to } ?? false
    zones[zone] = isChanging
    return isChanging
  }
}
