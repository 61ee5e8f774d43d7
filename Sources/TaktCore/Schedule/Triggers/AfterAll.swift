package import TaktTime

/// The ends of several other jobs' runs together, as a trigger: each of them, since the job was
/// last due by them.
package struct AfterAll: Hashable, Sendable {
  /// At least one, by name, no two of one job.
  package var parents: [Following]
  /// The greatest distance of the ends; nil (the default) for any.
  package var within: Duration?

  package init(_ parents: [Following], within: Duration? = nil) {
    self.parents = parents.sorted()
    self.within = within
  }

  /// The jobs whose end is awaited still, with the last ends that count.
  package func missing(in ended: [JobName: WallInstant], at now: WallInstant) -> [Following] {
    parents.filter { parent in
      guard let instant = ended[parent.job] else { return true }
      return within.map { now - instant > $0 } ?? false
    }
  }

  /// `a, b (on any), within 6h`
  package var summary: String {
    let names = parents.map { parent in
      parent.condition == .success
        ? "\(parent.job)" : "\(parent.job) (on \(parent.condition.rawValue))"
    }
    return names.joined(separator: ", ")
      + (within.map { ", within \(DurationText.format($0))" } ?? "")
  }

  /// A sentence without its subject, for people.
  var words: String {
    let names = parents.map { parent in
      switch parent.condition {
      case .success: "\(parent.job) has succeeded"
      case .failure: "\(parent.job) has failed"
      case .any: "\(parent.job) has ended"
      }
    }
    let all =
      names.count == 1
      ? names[0] : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    return "when \(all) since the last time"
      + (within.map { ", within \(DurationText.format($0))" } ?? "")
  }
}

/// The ends that a job waits for, present and missing.
package struct GatheredEnds: Hashable, Sendable {
  package var missing: [Following]
  /// The ends that count, by name.
  package var ended: [(job: JobName, at: WallInstant)] {
    instants.filter { instant in !missing.contains { $0.job == instant.key } }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private var instants: [JobName: WallInstant]

  package init(_ all: AfterAll, _ ended: [JobName: WallInstant], at now: WallInstant) {
    missing = all.missing(in: ended, at: now)
    instants = ended
  }
}

extension Schedule {
  /// All jobs whose ends make this one due.
  var parents: Set<JobName> {
    var names = Set(after.map(\.job))
    if let afterAll { names.formUnion(afterAll.parents.map(\.job)) }
    return names
  }
}
