import TaktCore
import TaktTime

/// How a violation comes about: events in their order, without those that it does not need.
struct ExplorerPath {
  struct Move {
    var step: ExplorerWorld.Step
    /// How long a run takes that it starts.
    var length: Duration
  }

  /// After so many events no other path is tried.
  private static let budget = 20_000
  /// So many events may come before time can pass.
  private static let eventsMax = 50

  private let memory: ExplorerMemory
  /// What it ends with.
  private(set) var problem: String
  private var moves: [Move]
  private var book: ExplorerWorld.Book

  init(_ moves: [Move], to problem: String, in scene: ExplorerScene) {
    memory = ExplorerMemory(scene, isTold: true)
    self.problem = problem
    self.moves = moves
    book = ExplorerWorld.Book()
    var world = ExplorerWorld(memory, book: book)
    for move in moves { world.apply(move) }
  }

  /// What happens: an event and what it causes is one step, of several lines.
  var story: [String] { book.story }

  /// Without each half, each quarter and so on of it, as long as the problem stays. What then cannot
  /// happen any more is left out, too.
  mutating func shorten() {
    var left = Self.budget
    var size = (moves.count + 1) / 2
    while size > 0 {
      var place = 0
      while place < moves.count, left > 0 {
        left -= moves.count
        var rest = moves
        rest.removeSubrange(place..<min(place + size, rest.count))
        if !takes(rest) { place += size }
      }
      size /= 2
    }
  }

  /// Takes a path if its story is shorter and ends alike.
  private mutating func takes(_ wanted: [Move]) -> Bool {
    let book = ExplorerWorld.Book()
    var world = ExplorerWorld(memory, book: book)
    var taken: [Move] = []
    var end: String?
    func go(_ move: Move) {
      world.apply(move)
      taken.append(move)
      let found = world.problem(isSettled: world.isSettled)
      if found?.kindOfProblem == problem.kindOfProblem { end = found }
    }
    for move in wanted where end == nil {
      // Time passes when nothing is left to be done.
      for _ in 0..<Self.eventsMax where move.step == .pass && end == nil {
        guard let first = world.steps.first, first != .pass else { break }
        go(Move(step: first, length: memory.scene.lengths[0]))
      }
      guard end == nil, world.steps.contains(move.step) || world.faults.contains(move.step) else {
        continue
      }
      go(move)
    }
    let (now, before) = (book.steps.count, self.book.steps.count)
    guard let end, now < before || now == before && taken.count < moves.count else { return false }
    problem = end
    moves = taken
    self.book = book
    return true
  }
}

extension ExplorerWorld {
  mutating func apply(_ move: ExplorerPath.Move) {
    length = move.length
    apply(move.step)
  }

  /// What is wrong here; nil where the path may go on, or is at a good end.
  func problem(isSettled: Bool) -> String? {
    if let problem = problems.first { return problem }
    if isSettled { return problemsAtEnd().first }
    if isStuck { return "nothing will happen, and not all is decided" }
    return isPastHorizon ? "not decided after \(scene.horizon)" : nil
  }
}

extension String {
  /// The problem, whichever slot or machine has it.
  var kindOfProblem: String { filter { !$0.isNumber } }
}
