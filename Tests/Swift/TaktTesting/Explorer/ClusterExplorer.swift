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
    /// How many different states there were at which paths part, and how many steps led to them.
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
    /// Each step is an event and what it causes, in lines.
    package var story: [String]
  }

  /// How far a search has come.
  package struct Progress: Sendable {
    package var faults: Int
    package var states: Int
    /// The part of all paths that is done, as far as can be known: it grows from 0 to 1.
    package var share: Double
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
    /// Its part of the whole search.
    var share = 1.0
  }

  private let scene: ExplorerScene
  private let statesMax: Int
  private let violationsMax: Int
  /// How many faults were left when a state was met.
  private var met: [Int: UInt8] = [:]
  private var report = Report()
  /// To the first violations.
  private var paths: [ExplorerPath] = []
  /// Of the search for paths with so many faults.
  private var done = 0.0
  private let progress: (Progress) -> Void
  /// After so many steps a path counts as one that goes in a circle, until its state is known.
  private static let straightMax = 1000
  /// What is asked of the engine is kept here; nil where nobody wants it.
  private let tree: EngineTree?

  /// - Parameters:
  ///   - statesMax: after how many states the search ends without being complete.
  ///   - violationsMax: after how many kinds of violation it ends.
  ///   - tree: gets all that is asked of the engine.
  ///   - progress: called after each 10,000 states.
  package init(
    _ scene: ExplorerScene, statesMax: Int = .max, violationsMax: Int = 1,
    tree: EngineTree? = nil, progress: @escaping (Progress) -> Void = { _ in }
  ) {
    self.tree = tree
    self.progress = progress
    self.scene = scene
    self.statesMax = statesMax
    self.violationsMax = violationsMax
  }

  /// Searches. Paths with few faults come first, so that what is found has a short story.
  package mutating func run() -> Report {
    for faults in 0...scene.faultsMax where report.isComplete { search(faults) }
    if let first = paths.first, violationsMax == 1 {
      // Depth first needs little memory and finds long stories: another search finds the shortest
      // one that ends alike.
      var other = Self(scene, statesMax: 4 * report.states)
      for faults in 0...scene.faultsMax where other.report.isComplete {
        other.search(faults, isBreadthFirst: true)
      }
      if let short = other.paths.first, short.story.count < first.story.count { paths = [short] }
    }
    report.violations = paths.map { path in
      var path = path
      path.shorten()
      return Violation(problem: path.problem, story: path.story)
    }
    return report
  }

  private mutating func search(_ faults: Int, isBreadthFirst: Bool = false) {
    report = Report()
    met = [:]
    done = 0
    var told = 0
    var world = ExplorerWorld(scene)
    world.faultsLeft = faults
    var visits: Deque = [Visit(world: world, trail: nil, tree: tree, depth: 0)]
    while let visit = isBreadthFirst ? visits.popFirst() : visits.popLast() {
      visits += successors(of: visit)
      if report.states >= told + 10_000 {
        told = report.states
        progress(Progress(faults: faults, states: told, share: done))
      }
      guard paths.count < violationsMax, report.states < statesMax else {
        report.isComplete = false
        return
      }
    }
  }

  private mutating func successors(of visit: Visit) -> [Visit] {
    var next: [Visit] = []
    for step in (visit.isEnd ? [] : visit.world.steps) + visit.world.faults {
      var visit = visit
      apply(step, to: &visit)
      follow(&visit)
      next += lengths(of: visit).compactMap { meet($0) }
    }
    if next.isEmpty { done += visit.share }
    for place in next.indices { next[place].share = visit.share / Double(next.count) }
    return next
  }

  private mutating func apply(_ step: ExplorerWorld.Step, to visit: inout Visit) {
    visit.world.length = scene.lengths[0]
    visit.world.apply(step)
    visit.trail = Trail(step, scene.lengths[0], after: visit.trail)
    if let request = visit.world.request { visit.tree = visit.tree?.after(request) }
    visit.depth += 1
    report.steps += 1
  }

  /// Goes on for as long as there is one way: what lies between is no state that paths part at, and
  /// most paths that have had their faults are of this kind.
  private mutating func follow(_ visit: inout Visit) {
    var rest = Self.straightMax
    while rest > 0, visit.world.faultsLeft == 0, visit.world.problems.isEmpty,
      visit.world.started.isEmpty, !visit.world.isPastHorizon
    {
      let steps = visit.world.steps
      guard steps.count == 1, steps[0] != .pass || !(visit.world.isSettled || visit.world.isStuck)
      else { return }
      apply(steps[0], to: &visit)
      rest -= 1
    }
  }

  /// The worlds in which what has just started takes one time and another.
  private func lengths(of visit: Visit) -> [Visit] {
    guard !visit.world.started.isEmpty else { return [visit] }
    return scene.lengths.map { length in
      var visit = visit
      for started in visit.world.started {
        visit.world.machines[started.machine].running[started.run]?.endsAt =
          visit.world.now + length
        visit.world.machines[started.machine].digest = nil
      }
      if let trail = visit.trail { visit.trail = Trail(trail.step, length, after: trail.before) }
      return visit
    }
  }

  /// A state that is to be gone on from; nil for one that is known, or an end.
  private mutating func meet(_ visit: Visit) -> Visit? {
    var visit = visit
    if let problem = visit.world.problems.first {
      violated(problem, visit.trail)
      return nil
    }
    report.depth = max(report.depth, visit.depth)
    let key = visit.world.digest()
    let faultsLeft = visit.world.faultsLeft
    if let left = met[key], left >= faultsLeft { return nil }
    if met.updateValue(UInt8(faultsLeft), forKey: key) == nil { report.states += 1 }
    let isSettled = visit.world.isSettled
    let problem = visit.world.problem(isSettled: isSettled)
    if let problem { violated(problem, visit.trail) }
    if isSettled {
      report.ends += 1
      // What is decided stays so, whatever happens to a machine now.
      visit.isEnd = true
      return faultsLeft == 0 ? nil : visit
    }
    return problem == nil ? visit : nil
  }

  private mutating func violated(_ problem: String, _ trail: Trail?) {
    let kind = problem.kindOfProblem
    guard !paths.contains(where: { $0.problem.kindOfProblem == kind }) else { return }
    var moves: [ExplorerPath.Move] = []
    var place = trail
    while let here = place {
      moves.append(ExplorerPath.Move(step: here.step, length: here.length))
      place = here.before
    }
    paths.append(ExplorerPath(moves.reversed(), to: problem, in: scene))
  }
}
