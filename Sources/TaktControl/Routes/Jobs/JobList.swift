package import TaktAPI
import TaktCore

/// The filter for a list of jobs, gathered a few at a time, so that no slot waits.
package struct JobList {
  /// The most jobs in one turn of the scheduler's queue.
  static let turnCount = 1024

  var after: String?
  var limit: Int
  /// Matches part of the name, or a whole tag.
  var match: String?
  var state: String?
  /// The definition whose `for_each` makes them.
  var family: JobName?
  var order = Sorting.name

  enum Sorting: String, CaseIterable {
    case name
    /// The most urgent first; among equals by name.
    case attention
  }

  var isUnfiltered: Bool { match == nil && state == nil && family == nil }

  package struct Page {
    var jobs: [JobEntry] = []
    var total = 0
    /// The name to continue from; nil at the end.
    var after: String?

    package init(jobs: [JobEntry] = [], total: Int = 0) {
      self.jobs = jobs
      self.total = total
    }

    package var shown: API.JobPage { shown(withDurations: false) }

    /// - Parameter withDurations: true to include the durations of the last runs: many numbers, for
    ///   charts.
    func shown(withDurations: Bool) -> API.JobPage {
      var page = API.JobPage()
      page.jobs = Listing(jobs) { API.Job($0, withDurations: withDurations) }
      page.total = total
      page.after = after
      return page
    }
  }

  func page(from ports: ControlPorts) async -> Page {
    if order == .attention { return await pageByAttention(from: ports) }
    var page = Page()
    let extent = await visit(from: ports) { page.jobs.append($0) }
    (page.total, page.after) = (extent.total, extent.after)
    return page
  }

  /// Visits all jobs, and keeps no more of them than requested.
  private func pageByAttention(from ports: ControlPorts) async -> Page {
    var kept = JobEntry.Attention.allCases.map { _ in [JobEntry]() }
    var all = self
    all.limit = .max
    let extent = await all.visit(from: ports) { job in
      let rank = job.attention.rawValue
      if kept[rank].count < limit { kept[rank].append(job) }
    }
    return Page(jobs: Array(kept.joined().prefix(limit)), total: extent.total)
  }

  /// The number of matching jobs, without the limit, and the name to continue from; nil at the end.
  struct Extent {
    var total = 0
    var after: String?
  }

  /// Calls `take` with each wanted job, in the order of their names.
  func visit(from ports: ControlPorts, _ take: (JobEntry) -> Void) async -> Extent {
    let unsorted = await ports.query { core, _ in Array(core.jobNames) }
    let names = await BusyQueue.perform { unsorted.sorted() }
    var extent = Extent()
    var (count, last) = (0, JobName?.none)
    var rest = names[...]
    // Without a filter only the jobs of the page are visited.
    if isUnfiltered {
      extent.total = names.count
      if let after { rest = names[(names.partitioningIndex { $0.text > after })...] }
    }
    while !rest.isEmpty {
      let turn = rest.prefix(Self.turnCount)
      rest = rest.dropFirst(turn.count)
      for job in await ports.entries(of: Array(turn)) where isWanted(job) {
        let name = job.view.spec.name
        if !isUnfiltered { extent.total += 1 }
        if let after, !isUnfiltered, name.text <= after { continue }
        if count < limit {
          take(job)
          count += 1
          last = name
        } else {
          extent.after = last?.text
          if isUnfiltered { return extent }
        }
      }
    }
    return extent
  }

  private func isWanted(_ job: JobEntry) -> Bool {
    if let match, !job.view.spec.name.text.localizedLowercaseContains(match),
      !job.view.spec.tags.contains(match)
    {
      return false
    }
    if let family, job.view.spec.family != family { return false }
    switch state {
    case nil: return true
    case Self.failing?: return job.isFailing
    case Self.stale?: return job.isStale
    // One that still runs is suspended all the same.
    case JobView.State.suspended.rawValue?:
      return job.view.suspension != nil || job.view.state == .suspended
    case let state?: return job.view.state.rawValue == state
    }
  }

  static let after = Parameter.job("after", "Only jobs whose names come after this one")
  static let limit = Parameter.integer("limit", 1...100_000, default: 1000, "Maximum number")
  static let match = Parameter.text(
    "match", "Only jobs with this text in their name, or with this tag")
  static let family = Parameter.job(
    "for_each", "Only the jobs that the for_each of this definition makes")
  static let state = Parameter.choice(
    "state", states,
    "Only jobs in this state; suspended: also those with an active run; failing: whose last runs have "
      + "failed; stale: without a success within expect_success_within, or whose slots do not run"
  ) { state in
    Problem(
      .badRequest, "there is no state '\(state.prefix(50))'",
      detail: (NearestName.of(state, among: states).map { "Did you mean '\($0)'? " } ?? "")
        + "Use one of \(states.joined(separator: ", ")).")
  }
  private static let states = JobView.State.allCases.map(\.rawValue) + [failing, stale]

  /// The filter for jobs whose last runs have failed.
  static let failing = "failing"
  /// The filter for jobs that have not succeeded within `expect_success_within`.
  static let stale = "stale"
}

extension String {
  /// True if it contains the text, ignoring the case of ASCII letters.
  fileprivate func localizedLowercaseContains(_ text: String) -> Bool {
    text.isEmpty || lowercased().contains(text.lowercased())
  }
}

extension Array {
  /// The index of the first element that satisfies the condition, if all that do are at the end.
  func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if holds(self[middle]) {
        range = range.lowerBound..<middle
      } else {
        range = (middle + 1)..<range.upperBound
      }
    }
    return range.lowerBound
  }
}
