import DequeModule

/// All possible behaviour of a small cluster: each order of events, each length of a run, and each
/// fault at each moment, from the first start until everything is decided.
///
/// The machines are real `SchedulerCore`s and the engine its real rules. The search leaves out the
/// following, and loses nothing:
///
/// - States that differ only in parts without consequences count as one: counters, names of timers
///   and runs, the time at which a verdict was written, and which machine is which.
/// - Nothing happens with fewer faults left that does not happen with more: the search continues
///   from a known state only with more of them.
/// - A fault of one machine alone is tried after that machine has done something and after time has
///   passed. The actions of others in between have the same result before it and after it.
/// - One order is enough for steps that different machines take by themselves. A machine that waits
///   for the engine takes its steps after the engine has performed its batch: it sends nothing in
///   between, so the engine's order is the same.
/// - While a machine stands still it does nothing: events that are due in between are due at its
///   end.
/// - The steps of a machine, or of the engine, are computed once for each of its own states:
///   neither depends on the rest of the world.
package struct ClusterExplorer {
  package struct Report: Sendable {
    /// The different states at which paths part, and the steps that led to them.
    package var states = 0
    package var steps = 0
    /// The paths that reached their end.
    package var ends = 0
    /// The fates of the slots at these ends.
    package var outcomes: Set<String> = []
    /// The longest path.
    package var depth = 0
    /// True if no bound has cut any path off.
    package var isComplete = true
    /// The first violations, each with its story.
    package var violations: [Violation] = []
  }

  package struct Violation: Sendable {
    package var problem: String
    /// Each step is all that a machine does at one instant, with its consequences, in lines.
    package var story: [String]
  }

  /// The progress of a search.
  package struct Progress: Sendable {
    package var faults: Int
    package var states: Int
    /// The estimated part of all paths that is done: it grows from 0 to 1.
    package var share: Double
  }

  /// The way to a state.
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
    /// True if the search has not continued from here yet with as many faults left.
    var isNew = true
    /// The machines whose faults have not been tried here yet.
    var mayFail: Set<Int> = []
    /// True if all is decided: only faults are tried.
    var isEnd = false
    /// Its part of the whole search.
    var share = 1.0
  }

  private let scene: ExplorerScene
  private let statesMax: Int
  private let violationsMax: Int
  /// The most faults left when a state was met, and when faults of a machine were tried there: with
  /// fewer left nothing else can happen.
  private var met: [Int: UInt8] = [:]
  private let memory: ExplorerMemory
  private var report = Report()
  /// The ways to the first violations.
  private var paths: [ExplorerPath] = []
  /// The part of the current search that is done.
  private var done = 0.0
  private let progress: (Progress) -> Void
  /// After this many steps a path counts as a circle, until its state is known.
  private static let straightMax = 1000
  /// The record of all requests to the engine; nil for none.
  private let tree: EngineTree?

  /// - Parameters:
  ///   - statesMax: the number of states after which the search ends incomplete.
  ///   - violationsMax: the number of kinds of violation after which it ends.
  ///   - tree: receives all requests to the engine.
  ///   - progress: called after each 10,000 states.
  package init(
    _ scene: ExplorerScene, statesMax: Int = .max, violationsMax: Int = 1,
    tree: EngineTree? = nil, progress: @escaping (Progress) -> Void = { _ in }
  ) {
    self.tree = tree
    memory = ExplorerMemory(scene)
    self.progress = progress
    self.scene = scene
    self.statesMax = statesMax
    self.violationsMax = violationsMax
  }

  /// Searches, with all faults at once. A violation has a short story if it needs few faults and
  /// few events: such paths are then searched for.
  package mutating func run() -> Report {
    search(scene.faultsMax)
    if !paths.isEmpty { shorten() }
    report.violations = paths.map { path in
      var path = path
      path.shorten()
      return Violation(problem: path.problem, story: path.story)
    }
    return report
  }

  /// Depth first needs little memory and finds long stories: other searches find the shortest ones
  /// with the same ends.
  private mutating func shorten() {
    var other = Self(scene, statesMax: 4 * max(report.states, 10_000), violationsMax: paths.count)
    for faults in 0...scene.faultsMax where other.paths.count < paths.count {
      other.search(faults, isBreadthFirst: true)
    }
    for place in paths.indices {
      let kind = paths[place].problem.kindOfProblem
      let short = other.paths.first { $0.problem.kindOfProblem == kind }
      if let short, short.story.count < paths[place].story.count { paths[place] = short }
    }
    // One of another kind is as good if one is enough.
    if violationsMax == 1, let short = other.paths.first, short.story.count < paths[0].story.count {
      paths = [short]
    }
  }

  private mutating func search(_ faults: Int, isBreadthFirst: Bool = false) {
    report = Report()
    met = [:]
    done = 0
    var told = 0
    var world = ExplorerWorld(memory)
    world.faultsLeft = faults
    var visits: Deque = [
      Visit(world: world, trail: nil, tree: tree, depth: 0, mayFail: world.mayFail)
    ]
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
    let steps = visit.isNew && !visit.isEnd ? visit.world.steps : []
    let faults = visit.world.faults(of: visit.mayFail, withAnswers: visit.isNew)
    for step in steps + faults {
      var visit = visit
      apply(step, to: &visit)
      guard follow(&visit) else { continue }
      for visit in lengths(of: visit) {
        if let visit = meet(visit) { next.append(visit) }
      }
    }
    if next.isEmpty { done += visit.share }
    for place in next.indices { next[place].share = visit.share / Double(next.count) }
    return next
  }

  private mutating func apply(_ step: ExplorerWorld.Step, to visit: inout Visit) {
    visit.world.apply(step)
    visit.trail = Trail(step, scene.lengths[0], after: visit.trail)
    if let request = visit.world.request { visit.tree = visit.tree?.after(request) }
    visit.depth += 1
    report.steps += 1
  }

  /// Continues while there is only one step: paths do not part at the states in between, and most
  /// paths without faults left are of this kind. Returns false if another path has gone the rest of
  /// the way.
  private mutating func follow(_ visit: inout Visit) -> Bool {
    var rest = Self.straightMax
    var hasPassed = false
    while rest > 0, visit.world.faultsLeft == 0, visit.world.problems.isEmpty,
      visit.world.started.isEmpty, !visit.world.isPastHorizon
    {
      let steps = visit.world.steps
      guard steps.count == 1, steps[0] != .pass || !(visit.world.isSettled || visit.world.isStuck)
      else { return true }
      if hasPassed, met.updateValue(0, forKey: visit.world.digest().world) != nil { return false }
      apply(steps[0], to: &visit)
      hasPassed = steps[0] == .pass
      rest -= 1
    }
    return true
  }

  /// The worlds in which the runs that have just started take each possible length.
  private func lengths(of visit: Visit) -> [Visit] {
    guard !visit.world.started.isEmpty else { return [visit] }
    return scene.lengths.map { length in
      var visit = visit
      visit.world.makeLast(length)
      if let trail = visit.trail { visit.trail = Trail(trail.step, length, after: trail.before) }
      return visit
    }
  }

  /// The state to continue from; nil for one that is known, or an end.
  private mutating func meet(_ visit: Visit) -> Visit? {
    var visit = visit
    if let problem = visit.world.problems.first {
      violated(problem, visit.trail)
      return nil
    }
    report.depth = max(report.depth, visit.depth)
    guard isNews(&visit) else { return nil }
    let isSettled = visit.world.isSettled
    let problem = visit.world.problem(isSettled: isSettled)
    if let problem { violated(problem, visit.trail) }
    if isSettled {
      report.ends += 1
      if visit.isNew { report.outcomes.insert(visit.world.outcome) }
      // A decided slot stays so, whatever happens to a machine now.
      visit.isEnd = true
      return visit.world.faultsLeft == 0 ? nil : visit
    }
    return problem == nil ? visit : nil
  }

  /// Finds the steps and faults that have not been tried here; returns false if there are none.
  private mutating func isNews(_ visit: inout Visit) -> Bool {
    let (key, machines) = visit.world.digest()
    let left = UInt8(visit.world.faultsLeft)
    visit.isNew = isMore(left, than: key, isState: true)
    visit.mayFail = []
    guard left > 0 else { return visit.isNew }
    for index in visit.world.mayFail
    where isMore(left, than: key ^ machines[index].byteSwapped, isState: false) {
      visit.mayFail.insert(index)
    }
    return visit.isNew || !visit.mayFail.isEmpty
  }

  private mutating func isMore(_ left: UInt8, than key: Int, isState: Bool) -> Bool {
    let known = met[key]
    if let known, known >= left { return false }
    met[key] = left
    if known == nil, isState { report.states += 1 }
    return true
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
