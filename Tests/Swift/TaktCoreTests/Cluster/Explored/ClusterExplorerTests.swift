import TaktCore
import TaktTesting
import Testing

/// All orders of events of a small cluster, and all faults at all moments. `make explore` does more of
/// them.
struct ClusterExplorerTests {
  private func explore(_ scene: ExplorerScene) -> ClusterExplorer.Report {
    var explorer = ClusterExplorer(scene)
    return explorer.run()
  }

  private func story(_ report: ClusterExplorer.Report) -> Comment {
    Comment(
      rawValue: report.violations.map { ([$0.problem] + $0.story).joined(separator: "\n") }
        .joined(separator: "\n\n"))
  }

  @Test(arguments: Overlap.allCases, Delivery.allCases)
  func `without a fault each slot is decided once, in any order of events`(
    overlap: Overlap, delivery: Delivery
  ) {
    let report = explore(.one(overlap, delivery, faults: 0))
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete && report.ends > 1)
  }

  @Test(arguments: Overlap.allCases)
  func `two jobs of a group of one take their turns on any machine`(overlap: Overlap) {
    let report = explore(.group(overlap, .bestEffort, faults: 0))
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete && report.ends > 1)
  }

  @Test(arguments: [ExplorerScene.Fault.lostAnswer, .crash, .crashWithoutLedger, .leave])
  func `with one fault at any moment it is, too`(fault: ExplorerScene.Fault) {
    var scene = ExplorerScene.one(.skip, .atLeastOnce, faults: 1)
    scene.faults = [fault]
    let report = explore(scene)
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete)
  }

  /// The machine ends its run with the lease, and tells the engine before others decide.
  @Test(arguments: Delivery.allCases)
  func `a run that is stopped with the lease starts again only if it may`(delivery: Delivery) {
    var scene = ExplorerScene.one(.skip, delivery, faults: 1)
    scene.faults = [.pause]
    let report = explore(scene)
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete)
  }

  @Test(arguments: Overlap.allCases)
  func `one machine that shares nothing decides each slot once after any event`(
    overlap: Overlap
  ) {
    let report = explore(.alone(overlap, .bestEffort, faults: 1))
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete && report.ends > 1)
  }

  @Test func `each success of a job has one slot of the job that follows`() {
    let report = explore(.alone(.skip, .atLeastOnce, isFollowed: true, faults: 1))
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete)
  }

  /// It waits for its ledger when it learns that another machine has a newer slot: found by this.
  @Test func `a run that is replaced before it starts has a verdict`() {
    var scene = ExplorerScene.one(.replace, .atMostOnce, faults: 1)
    scene.faults = [.lostAnswer]
    let report = explore(scene)
    #expect(report.violations.isEmpty, story(report))
    #expect(report.isComplete)
  }

  /// The story of each is short enough to be read.
  @Test(arguments: [MemoryEngine.Plant.owner, .grace, .forgotten])
  func `a mistake in the engine's rules has a story`(plant: MemoryEngine.Plant) throws {
    var scene = ExplorerScene.one(.skip, .atLeastOnce, faults: 1, stopGrace: .seconds(10))
    scene.faults = [.freeze, .crashWithoutLedger]
    // One lasts longer than a lease.
    scene.lengths = [.milliseconds(300), .seconds(8)]
    scene.plant = plant
    let violation = try #require(explore(scene).violations.first)
    #expect(violation.story.count < 25, "\(violation.story.joined(separator: "\n"))")
  }
}
