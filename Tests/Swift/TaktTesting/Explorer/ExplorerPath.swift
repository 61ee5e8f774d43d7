/// The way to a violation: events in their order, without those that it does not need.
struct ExplorerPath {
  struct Move {
    var step: ExplorerWorld.Step
    /// The length of a run that it starts.
    var length: Duration
  }

  /// A step in a form that can be recognised after other steps.
  private struct Event {
    var move: Move
    var machine: Int?
    /// The place of its message among the batches, or the answers, of the machine that are under
    /// way.
    var number: Int?

    init(_ move: Move, in world: ExplorerWorld) {
      self.move = move
      machine = world.machine(of: move.step)
      number = world.number(of: move.step)
    }

    func step(in world: ExplorerWorld) -> ExplorerWorld.Step? {
      (world.enabled + world.faults(of: Set(world.machines.indices), withAnswers: true)).first {
        $0.isAlike(move.step) && world.machine(of: $0) == machine && world.number(of: $0) == number
      }
    }
  }

  /// After this many events no other path is tried.
  private static let budget = 50_000
  /// The most events before time must pass.
  private static let eventsMax = 50

  private let memory: ExplorerMemory
  /// The problem at its end.
  private(set) var problem: String
  private var events: [Event] = []
  private var book: ExplorerWorld.Book
  private var left = Self.budget

  init(_ moves: [Move], to problem: String, in scene: ExplorerScene) {
    memory = ExplorerMemory(scene, isTold: true)
    self.problem = problem
    book = ExplorerWorld.Book()
    var world = ExplorerWorld(memory, book: book)
    for move in moves {
      events.append(Event(move, in: world))
      world.apply(move)
    }
  }

  /// The story in lines: all that a machine does at one instant is one step.
  var story: [String] { book.story }

  /// Makes it as short as possible: without events that the problem does not need, and with all
  /// that a machine does at one instant together.
  mutating func shorten() {
    var before = (0, 0)
    while left > 0, before != (book.told.count, events.count) {
      before = (book.told.count, events.count)
      leaveOut()
      bringTogether()
    }
  }

  /// Leaves out each half, each quarter and so on, as long as the problem stays. Steps that can
  /// then no longer happen are left out, too.
  private mutating func leaveOut() {
    var size = (events.count + 1) / 2
    while size > 0 {
      var place = 0
      while place < events.count, left > 0 {
        var rest = events
        rest.removeSubrange(place..<min(place + size, rest.count))
        if !takes(rest) { place += size }
      }
      size /= 2
    }
  }

  /// Moves each event as close to the last one of its machine as possible.
  private mutating func bringTogether() {
    var place = 1
    while place < events.count, left > 0 {
      defer { place += 1 }
      guard let machine = events[place].machine, events[place - 1].machine != machine else {
        continue
      }
      let instant = events[..<place].lastIndex { $0.move.step == .pass } ?? -1
      guard let last = events[..<place].lastIndex(where: { $0.machine == machine }), last > instant
      else { continue }
      var other = events
      other.insert(other.remove(at: place), at: last + 1)
      _ = takes(other)
    }
  }

  /// Takes a path if its story is shorter and has the same end.
  private mutating func takes(_ wanted: [Event]) -> Bool {
    let book = ExplorerWorld.Book()
    var world = ExplorerWorld(memory, book: book)
    var taken: [Event] = []
    var end: String?
    // All is decided well: only a later fault can change that.
    var isSettled = false
    func go(_ step: ExplorerWorld.Step, _ length: Duration) {
      let move = Move(step: step, length: length)
      taken.append(Event(move, in: world))
      world.apply(move)
      isSettled = world.isSettled
      let found = world.problem(isSettled: isSettled)
      if found?.kindOfProblem == problem.kindOfProblem { end = found }
    }
    left -= wanted.count
    for event in wanted where end == nil {
      // Time passes when nothing else can happen.
      for _ in 0..<Self.eventsMax where event.move.step == .pass && end == nil && !isSettled {
        let steps = world.enabled
        let machine = taken.last?.machine
        guard let next = steps.first(where: { world.machine(of: $0) == machine }) ?? steps.first,
          next != .pass
        else { break }
        go(next, memory.scene.lengths[0])
      }
      guard end == nil, let step = event.step(in: world), !isSettled || step.isFault else {
        continue
      }
      go(step, event.move.length)
    }
    let (now, before) = (book.told.count, self.book.told.count)
    let (lines, linesBefore) = (book.steps.count, self.book.steps.count)
    guard let end,
      (now, lines, taken.count) < (before, linesBefore, events.count)
    else { return false }
    problem = end
    events = taken
    self.book = book
    return true
  }
}

extension ExplorerWorld {
  mutating func apply(_ move: ExplorerPath.Move) {
    length = move.length
    apply(move.step)
  }

  /// The problem of this state; nil if the path may continue, or has reached a good end.
  func problem(isSettled: Bool) -> String? {
    if let problem = problems.first { return problem }
    if isSettled { return problemsAtEnd().first }
    if isStuck { return "nothing will happen, and not all is decided" }
    return isPastHorizon ? "not decided after \(scene.horizon)" : nil
  }
}

extension ExplorerWorld {
  /// The place of a step's message among those of its machine and kind.
  fileprivate func number(of step: Step) -> Int? {
    let place: Int
    switch step {
    case .carry(let at), .hear(let at), .fault(.lostAnswer, let at), .fault(.lateBatch, let at):
      place = at
    default: return nil
    }
    let message = messages[place]
    return messages[..<place].count {
      $0.machine == message.machine && $0.message.isBatch == message.message.isBatch
    }
  }
}

extension ExplorerWorld.Step {
  fileprivate var isFault: Bool { if case .fault = self { true } else { false } }

  /// True if it is the same, except for the place of its message.
  fileprivate func isAlike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.carry, .carry), (.hear, .hear), (.fault(.lostAnswer, _), .fault(.lostAnswer, _)),
      (.fault(.lateBatch, _), .fault(.lateBatch, _)):
      true
    default: self == other
    }
  }
}

extension String {
  /// The problem without the slot and the machine.
  var kindOfProblem: String { filter { !$0.isNumber } }
}
