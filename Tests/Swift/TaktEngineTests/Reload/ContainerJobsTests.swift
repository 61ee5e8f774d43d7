import Synchronization
import TaktCore
import TaktTime
import Testing

@testable import TaktEngine

/// Jobs of labels beside those of a file.
@Suite struct ContainerJobsTests {
  @Test func `they come and go with their containers, and none takes a name of the file`() throws {
    let source = LabelSource()
    var jobs = ContainerJobs([], of: LabelSource.access)
    let file = LabelSource.snapshot(["own", "web.taken"])
    jobs.containers = [
      LabelSource.container("web", "taken", "free"), LabelSource.container("db", "x"),
    ]
    jobs.make(for: file, from: source)
    let whole = jobs.added(to: file)
    #expect(whole.jobs.map(\.name.text) == ["own", "web.taken", "web.free", "db.x"])
    #expect(jobs.problems.map(\.headline).count == 1)
    #expect(jobs.removed(from: whole).jobs.map(\.name.text) == ["own", "web.taken"])
    let plan = ReloadPlan(from: file, to: whole)
    #expect(plan.steps.map(\.change) == [.added, .added] && plan.keptCount == 2)

    // Only new labels are read again.
    #expect(source.reads == 2)
    jobs.containers[1] = LabelSource.container("db", "y")
    jobs.make(for: file, from: source)
    #expect(source.reads == 3)
    #expect(jobs.added(to: file).jobs.last?.name.text == "db.y")
  }

  @Test func `without the setting there are none`() {
    var jobs = ContainerJobs([LabelSource.container("web", "x")], of: LabelSource.access)
    var file = LabelSource.snapshot(["own"])
    file.settings.containers = nil
    jobs.make(for: file, from: LabelSource())
    #expect(jobs.added(to: file).jobs.count == 1)
    var none = ContainerJobs([LabelSource.container("web", "x")])
    none.make(for: LabelSource.snapshot(["own"]), from: LabelSource())
    #expect(none.added(to: file).jobs.count == 1)
  }

  @Test func `more than 1,000 jobs are left out, with a sentence`() {
    var jobs = ContainerJobs(
      (0..<60).map { number in
        LabelSource.container("c\(number)", (0..<20).map { "j\($0)" })
      }, of: LabelSource.access)
    let file = LabelSource.snapshot([])
    jobs.make(for: file, from: LabelSource())
    #expect(jobs.added(to: file).jobs.count == ContainerJobs.countMax)
    #expect(jobs.problems.count == 1 && jobs.problems[0].message.contains("1200 jobs"))
  }
}

/// A source for which each label is the name of a job.
private final class LabelSource: SnapshotSource {
  static let access = {
    var access = ContainerAccess()
    access.readsLabels = true
    return access
  }()

  let path = "jobs.yaml"
  private let count = Mutex(0)
  var reads: Int { count.withLock(\.self) }

  static func container(_ name: String, _ jobs: String...) -> LabelledContainer {
    container(name, jobs)
  }

  static func container(_ name: String, _ jobs: [String]) -> LabelledContainer {
    LabelledContainer(
      id: "id-\(name)", name: name, labels: Dictionary(uniqueKeysWithValues: jobs.map { ($0, "") }))
  }

  static func snapshot(_ names: [String]) -> Snapshot {
    var settings = SchedulerSettings()
    settings.containers = access
    return Snapshot(settings: settings, jobs: names.compactMap(spec))
  }

  private static func spec(_ name: String) -> JobSpec? {
    JobName(name).map {
      JobSpec(name: $0, timing: Timing(schedule: Schedule()), action: .shell("true"))
    }
  }

  private static func nothing() -> LoadedSnapshot {
    LoadedSnapshot(
      snapshot: nil, diagnostics: [],
      files: FilesRead(paths: [], readAt: WallInstant(milliseconds: 0)))
  }

  func load() -> LoadedSnapshot { Self.nothing() }
  func load(text: [UInt8], within files: FilesRead?) -> LoadedSnapshot { Self.nothing() }
  func changedFiles(since files: FilesRead) -> [String] { [] }
  func load(once job: OnceJob) -> LoadedSnapshot { Self.nothing() }

  func load(
    labelsOf container: LabelledContainer, beside settings: SchedulerSettings
  ) -> LabelledJobs {
    count.withLock { $0 += 1 }
    var jobs = LabelledJobs()
    jobs.jobs = container.labels.keys.sorted(by: >).compactMap {
      Self.spec("\(container.name).\($0)")
    }
    return jobs
  }
}
