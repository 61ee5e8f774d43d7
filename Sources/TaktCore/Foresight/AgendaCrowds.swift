import TaktTime

/// The number of jobs expected to run at once: a job runs from its slot's due time for its expected
/// time, or for a second if that is unknown.
struct AgendaCrowds {
  private static let leastLength = Duration.seconds(1)

  private struct Span {
    var from: WallInstant
    var to: WallInstant
    var job: Int
  }

  /// In order.
  private let names: [JobName]
  /// By their starts; no two of one job touch.
  private let spans: [Span]
  /// The number of jobs from each instant on, in order.
  private var levels: [(at: WallInstant, count: Int)] = []
  private var crowds: [Agenda.Crowd] = []

  init(_ foreseen: Agenda.Foreseen) {
    names = foreseen.jobs.map(\.job.spec.name)
    spans = foreseen.jobs.enumerated().flatMap { Self.spans(of: $1, $0) }.sorted {
      $0.from < $1.from
    }
    sweep()
  }

  /// Joins slots of one job that touch: they count once, however many runs there are.
  private static func spans(of foreseen: Agenda.Foreseen.Job, _ place: Int) -> [Span] {
    let length = max(leastLength, foreseen.job.expected ?? .zero)
    var spans: [Span] = []
    for slot in foreseen.slots {
      let end = slot.due + length
      if let last = spans.last, slot.due <= last.to {
        spans[spans.count - 1].to = max(last.to, end)
      } else {
        spans.append(Span(from: slot.due, to: end, job: place))
      }
    }
    return spans
  }

  private mutating func sweep() {
    let ends = spans.map(\.to).sorted()
    var (start, end, running) = (0, 0, 0)
    while end < ends.count {
      let next = start < spans.count ? min(spans[start].from, ends[end]) : ends[end]
      while end < ends.count, ends[end] == next {
        running -= 1
        end += 1
      }
      while start < spans.count, spans[start].from == next {
        running += 1
        start += 1
      }
      note(running, at: next)
    }
  }

  private mutating func note(_ running: Int, at instant: WallInstant) {
    let before = levels.last?.count ?? 0
    levels.append((instant, running))
    if before >= 2 { crowds[crowds.count - 1].to = instant }
    guard running >= 2 else { return }
    if before < 2 {
      crowds.append(
        Agenda.Crowd(from: instant, to: instant, peak: 0, peakAt: instant, jobs: []))
    }
    guard running > crowds[crowds.count - 1].peak else { return }
    crowds[crowds.count - 1].peak = running
    crowds[crowds.count - 1].peakAt = instant
  }

  private func jobs(at instant: WallInstant) -> [JobName] {
    let running = spans.lazy.prefix { $0.from <= instant }.filter { instant < $0.to }
    return running.map(\.job).sorted().prefix(Agenda.Crowd.jobsMax).map { names[$0] }
  }

  func count(at instant: WallInstant) -> Int {
    var range = levels.startIndex..<levels.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if levels[middle].at <= instant {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound == 0 ? 0 : levels[range.lowerBound - 1].count
  }

  /// Those with the most jobs, in the order of time, and the number of others.
  func busiest(_ count: Int) -> ([Agenda.Crowd], Int) {
    var kept = crowds.sorted { $0.peak != $1.peak ? $0.peak > $1.peak : $0.from < $1.from }
      .prefix(count)
    for place in kept.indices { kept[place].jobs = jobs(at: kept[place].peakAt) }
    return (kept.sorted { $0.from < $1.from }, crowds.count - kept.count)
  }
}
