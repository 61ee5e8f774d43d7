package import TaktCore

/// The jobs that labels of containers declare, besides those of the jobs file.
package struct ContainerJobs: Sendable {
  static let countMax = 1000

  private struct Made: Sendable {
    var container: LabelledContainer
    var jobs: LabelledJobs
  }

  var containers: [LabelledContainer]
  /// The reasons why others are left out.
  package private(set) var problems: [Diagnostic] = []
  /// The jobs in the running set, by container and name.
  private(set) var specs: [JobSpec] = []
  /// The engine that is followed; nil if no labels are read.
  private let access: ContainerAccess?
  /// The result of the labels, by the container's id, under these settings.
  private var made: [String: Made] = [:]
  private var settings: SchedulerSettings?

  /// - Parameter access: the settings when takt started, since a change needs a restart.
  package init(_ containers: [LabelledContainer] = [], of access: ContainerAccess? = nil) {
    self.containers = containers
    self.access = access
  }

  /// Makes the jobs to add to a set of jobs. None takes a name that the set has.
  package mutating func make(for snapshot: Snapshot, from source: any SnapshotSource) {
    (problems, specs) = ([], [])
    guard let access, access.readsLabels, snapshot.settings.readsLabels else {
      made = [:]
      return
    }
    var settings = snapshot.settings
    settings.containers = access
    read(beside: settings, from: source)
    problems = containers.flatMap { made[$0.id]?.jobs.diagnostics ?? [] }
    var taken = Set(snapshot.jobs.map(\.name))
    var count = 0
    for container in containers {
      for spec in made[container.id]?.jobs.jobs ?? [] {
        count += 1
        guard specs.count < Self.countMax else { continue }
        guard taken.insert(spec.name).inserted else {
          problems.append(
            Self.problem(
              .duplicateJob, "container '\(container.name)'",
              "'\(spec.name)' is a job already; that of the label is left out"))
          continue
        }
        specs.append(spec)
      }
    }
    if count > Self.countMax {
      problems.append(
        Self.problem(
          .outOfRange, "labels of containers",
          "they declare \(count) jobs; those after the first \(Self.countMax) are left out"))
    }
  }

  package func added(to snapshot: Snapshot) -> Snapshot {
    if specs.isEmpty { return snapshot }
    return Snapshot(settings: snapshot.settings, jobs: snapshot.jobs + specs)
  }

  func removed(from snapshot: Snapshot) -> Snapshot {
    if specs.isEmpty { return snapshot }
    let names = Set(specs.map(\.name))
    return Snapshot(
      settings: snapshot.settings, jobs: snapshot.jobs.filter { !names.contains($0.name) })
  }

  /// Reads labels that are new, or all if the settings are.
  private mutating func read(beside settings: SchedulerSettings, from source: any SnapshotSource) {
    let known = self.settings == settings ? made : [:]
    self.settings = settings
    made = [:]
    for container in containers {
      if let before = known[container.id], before.container == container {
        made[container.id] = before
      } else {
        let jobs = source.load(labelsOf: container, beside: settings)
        made[container.id] = Made(container: container, jobs: jobs)
      }
    }
  }

  private static func problem(
    _ code: Diagnostic.Code, _ place: String, _ message: String
  ) -> Diagnostic {
    Diagnostic(severity: .warning, code, at: SourceLocation(file: place), message)
  }
}
