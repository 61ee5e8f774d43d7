import DequeModule
import TaktCore
import TaktTime

/// All that a small cluster can do: each order of events, each length of a run, and each fault at
/// each moment, from the first start until everything is decided.
///
/// The machines are real `SchedulerCore`s and the engine its real rules. States that differ in
/// nothing but counters are met once.
package struct ClusterExplorer {
  package struct Report: Sendable {
    /// How many different states there were, and how many steps led to them.
    package var states = 0
    package var steps = 0
    /// How many paths came to their end.
    package var ends = 0
    /// The longest path.
    package var depth = 0
    /// Whether all were met: no bound has cut any off.
    package var isComplete = true
    /// The first violations, each with its story.
    package var violations: [Violation] = []
  }

  package struct Violation: Sendable {
    package var problem: String
    package var story: [String]
  }

  /// How a state was come to.
  private final class Trail {
    let step: ExplorerWorld.Step
    let length: Duration
    let before: Trail?

    init(_ step: ExplorerWorld.Step, _ length: Duration, after before: Trail?) {
      self.step = step
      self.length = length
      self.before = before
    }
  }

  private struct Visit {
    var world: ExplorerWorld
    var trail: Trail?
    var tree: EngineTree?
    var depth: Int
    /// All is decided: only faults are tried.
    var isEnd = false
  }

  private let scene: ExplorerScene
  private let statesMax: Int
  private let violationsMax: Int
  /// How many faults were left when a state was met.
  private var met: [Int: Int] = [:]
  private var report = Report()
  /// What is asked of the engine is kept here; nil where nobody wants it.
  private let tree: EngineTree?

  /// - Parameters:
  ///   - statesMax: after how many states the search ends without being complete.
  ///   - violationsMax: after how many kinds of violation it ends.
  ///   - tree: gets all that is asked of the engine.
  package init(
    _ scene: ExplorerScene, statesMax: Int = .max, violationsMax: Int = 1,
    tree: EngineTree? = nil
  ) {
    self.tree = tree
    self.scene = scene
    self.statesMax = statesMax
    self.violationsMax = violationsMax
  }

  /// Searches. Paths with few faults come first, so that what is found has a short story.
  package mutating func run() -> Report {
    for faults in 0...scene.faultsMax where report.isComplete { search(faults) }
    guard let first = report.violations.first, violationsMax == 1 else { return report }
    // Depth first needs little memory and finds long stories: another search finds the shortest one
    // that ends alike.
    var other = Self(scene, statesMax: 4 * report.states)
    for faults in 0...scene.faultsMax where other.report.isComplete {
      other.search(faults, isBreadthFirst: true)
    }
    if let short = other.report.violations.first, short.story.count < first.story.count {
      report.violations = [short]
    }
    return report
  }

  private mutating func search(_ faults: Int, isBreadthFirst: Bool = false) {
    report = Report(violations: report.violations)
    met = [:]
    var world = ExplorerWorld(scene)
    world.faultsLeft = faults
    var visits: Deque = [Visit(world: world, trail: nil, tree: tree, depth: 0)]
    while let visit = isBreadthFirst ? visits.popFirst() : visits.popLast() {
      visits += successors(of: visit)
      guard report.violations.count < violationsMax, report.states < statesMax else {
        report.isComplete = false
        return
      }
    }
  }

  private mutating func successors(of visit: Visit) -> [Visit] {
    var next: [Visit] = []
    let world = visit.world
    for step in (visit.isEnd ? [] : world.steps) + world.faults {
      for (place, length) in scene.lengths.enumerated() {
        var world = visit.world
        world.length = length
        world.apply(step)
        report.steps += 1
        let trail = Trail(step, length, after: visit.trail)
        let tree = visit.tree.map { tree in world.request.map(tree.after) ?? tree }
        if var visit = meet(world, trail, visit.depth + 1) {
          visit.tree = tree
          next.append(visit)
        }
        // Only where a run starts its length matters.
        if place == 0, !world.hasStarted { break }
      }
    }
    return next
  }

  /// A state that is to be gone on from; nil for one that is known, or an end.
  private mutating func meet(_ world: ExplorerWorld, _ trail: Trail, _ depth: Int) -> Visit? {
    if let problem = world.problems.first {
      violated(problem, trail)
      return nil
    }
    let key = world.digest
    if let left = met[key], left >= world.faultsLeft { return nil }
    if met.updateValue(world.faultsLeft, forKey: key) == nil { report.states += 1 }
    report.depth = max(report.depth, depth)
    if world.isSettled {
      let problems = world.problemsAtEnd()
      if let problem = problems.first { violated(problem, trail) }
      report.ends += 1
      // What is decided stays so, whatever happens to a machine now.
      if world.faultsLeft == 0 { return nil }
      return Visit(world: world, trail: trail, depth: depth, isEnd: true)
    }
    if world.isPastHorizon {
      violated("not decided after \(scene.horizon)", trail)
      return nil
    }
    return Visit(world: world, trail: trail, depth: depth)
  }

  private mutating func violated(_ problem: String, _ trail: Trail) {
    let kind = problem.filter { !$0.isNumber }
    guard !report.violations.contains(where: { $0.problem.filter { !$0.isNumber } == kind }) else {
      return
    }
    report.violations.append(Violation(problem: problem, story: story(of: trail)))
  }

  private func story(of trail: Trail) -> [String] {
    var steps: [(ExplorerWorld.Step, Duration)] = []
    var place: Trail? = trail
    while let here = place {
      steps.append((here.step, here.length))
      place = here.before
    }
    let book = ExplorerWorld.Book()
    var world = ExplorerWorld(scene, book: book)
    world.faultsLeft = 0
    for (step, length) in steps.reversed() {
      world.length = length
      world.apply(step)
    }
    return book.lines
  }
}
