/// The ends of a job's schedules and its position, without instants that no clock can show: slots
/// up to such an instant would be counted without end.
struct PlausibleEdges {
  /// An instant that no clock shows.
  struct Problem {
    /// The nearest that one does.
    var slots: SlotSeries
    var what: String
  }

  private(set) var versions: [AuditedVersion]
  private(set) var mark: ScheduleEdge
  private(set) var problems: [Problem] = []

  /// The range of a daemon's clocks, in milliseconds: from the day before 1970 up to 2262.
  fileprivate static let range: ClosedRange<ScheduleInstant> =
    -86_400_000...ScheduleInstant(milliseconds: .max / 1_000_000)

  /// - Parameter newest: the last slot that has a record, where `mark` is implausible.
  init(_ versions: [AuditedVersion], mark: ScheduleEdge, newest: ScheduleInstant?) {
    self.versions = versions
    self.mark = mark
    for index in versions.indices {
      self.versions[index].begin.from = bounded(versions[index].begin.from, "start of a schedule")
      self.versions[index].end = versions[index].end.map { bounded($0, "end of a schedule") }
    }
    // The job's position is unknown: it is at least its newest record.
    let known = newest.flatMap { Self.range.contains($0) ? $0 : nil }
    if let clock = bounded(mark.clock, "position on the job's clock") {
      self.mark.clock = known ?? self.versions.last?.begin.from.clock ?? clock
    }
    if let wall = bounded(mark.wall, "position on the wall clock") {
      self.mark.wall = known ?? self.versions.last?.begin.from.wall ?? wall
    }
  }

  private mutating func bounded(_ edge: ScheduleEdge, _ what: String) -> ScheduleEdge {
    var edge = edge
    edge.clock = bounded(edge.clock, what) ?? edge.clock
    edge.wall = bounded(edge.wall, what) ?? edge.wall
    return edge
  }

  /// Nil for an instant that a clock can show.
  private mutating func bounded(_ instant: ScheduleInstant, _ what: String) -> ScheduleInstant? {
    guard !Self.range.contains(instant) else { return nil }
    let nearest = min(max(instant, Self.range.lowerBound), Self.range.upperBound)
    problems.append(
      Problem(
        slots: SlotSeries(nearest),
        what: "\(what): \(instant.milliseconds) ms since 1970"))
    return nearest
  }
}

extension ScheduleEdge {
  /// True if a clock can show both of its instants.
  package var isPlausible: Bool {
    PlausibleEdges.range.contains(clock) && PlausibleEdges.range.contains(wall)
  }
}
