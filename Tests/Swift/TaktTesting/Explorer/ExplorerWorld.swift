import TaktCore
import TaktTime

/// A cluster at one instant, as a value: machines, engine, and messages under way.
struct ExplorerWorld {
  struct Message {
    var machine: Int
    /// The life of the machine that sent, or is to receive it.
    var life: Int
    var at: MonotonicInstant
    var message: ExplorerMessage
  }

  /// A possible next step.
  enum Step: Hashable {
    case boot(Int)
    case thaw(Int)
    case reload(Int)
    case fire(Int, TimerID)
    case end(Int, RunID)
    case kept(Int, RunID)
    /// The engine does a batch.
    case carry(Int)
    /// A machine receives the outcome of a batch.
    case hear(Int)
    case guards(Int)
    case pass
    case fault(ExplorerScene.Fault, Int)
  }

  let memory: ExplorerMemory
  var now = ExplorerScene.begin
  var machines: [MachineState]
  var engine: EngineState
  var messages: [Message] = []
  var faultsLeft: Int
  /// The time at which the newest version of the file reached the last machine.
  var changedAt: WallInstant?
  /// The machines whose faults are to be tried: the last one that did something, or all when time
  /// has passed.
  var mayFail: Set<Int>
  /// The started slots of jobs that must not start one twice.
  var starts: Set<ExplorerSlot> = []
  /// The successful runs of each job, and the slots with verdicts: of one machine.
  var successes: [JobName: Int] = [:]
  var decided: [JobName: Int] = [:]
  var problems: [String] = []
  /// The length of the next run.
  var length: Duration
  /// Runs that the last step has started: the worlds in which they take another length are to be
  /// explored as well.
  var started: [Int: [RunID]] = [:]
  /// The story, for people; nil for none.
  let book: Book?
  /// The request of the last step to the engine.
  var request: EngineTree.Request?

  var scene: ExplorerScene { memory.scene }

  init(_ memory: ExplorerMemory, book: Book? = nil) {
    self.memory = memory
    self.book = book
    faultsLeft = memory.scene.faultsMax
    length = memory.scene.lengths[0]
    var rules = MemoryEngine()
    rules.plant = memory.scene.plant
    engine = memory.state(of: rules)
    let machine = memory.state(of: ExplorerMachine(startsAt: now, isTold: memory.isTold))
    machines = Array(repeating: machine, count: memory.scene.machines)
    mayFail = Set(machines.indices)
  }

  var wall: WallInstant { scene.clock(at: now).wall }

  // MARK: A step

  mutating func apply(_ step: Step) {
    if !started.isEmpty { started = [:] }
    request = nil
    begin(step)
    switch step {
    case .pass:
      if let next = nextInstant { now = next }
      mayFail = Set(machines.indices)
    case .boot(let index): happen(.boots, to: index)
    case .thaw(let index): happen(.goesOn, to: index)
    case .reload(let index): happen(.reloads, to: index)
    case .fire(let index, let timer): happen(.fires(timer), to: index)
    case .end(let index, let run): happen(.ends(run), to: index)
    case .kept(let index, let run): happen(.hearsKept(run), to: index)
    case .carry(let place): carry(place)
    case .hear(let place):
      let message = messages.remove(at: place)
      let machine = machines[message.machine].value
      guard machine.isUp, machine.life == message.life else { return }
      happen(.hears(message.message), to: message.machine)
    case .guards(let index): happen(.guarded, to: index)
    case .fault(let fault, let place): fail(fault, place)
    }
    if length != scene.lengths[0] { makeLast(length) }
  }

  /// Sets the length of the runs that have just started.
  mutating func makeLast(_ length: Duration) {
    for (index, runs) in started {
      let occurrence = ExplorerMachine.Occurrence.lasts(runs, until: now + length)
      machines[index] = memory.after(occurrence, of: machines[index], at: now).state
    }
  }

  private mutating func happen(_ occurrence: ExplorerMachine.Occurrence, to index: Int) {
    change(occurrence, index)
    mayFail = [index]
  }

  private mutating func change(_ occurrence: ExplorerMachine.Occurrence, _ index: Int) {
    let transition = memory.after(occurrence, of: machines[index], at: now)
    let life = transition.state.value.life
    machines[index] = transition.state
    for deed in transition.deeds { perform(deed, of: index, life) }
  }

  private mutating func perform(_ deed: ExplorerMachine.Deed, of index: Int, _ life: Int) {
    switch deed {
    case .asks(let message):
      messages.append(Message(machine: index, life: life, at: now, message: message))
    case .began(let head): count(head)
    case .started(let run, let execution, let mayMeet):
      started[index, default: []].append(run)
      if !mayMeet { checkAlone(execution, on: index) }
    case .succeeded(let job): if scene.isAlone { successes[job, default: 0] += 1 }
    case .decided(let job, let count): if scene.isAlone { decided[job, default: 0] += count }
    case .changedFile: changedAt = wall
    case .isDown:
      started[index] = nil
      messages.removeAll { $0.machine == index && !$0.message.isBatch }
    case .violates(let before, let after): problems.append("\(before)m\(index)\(after)")
    case .tells(let before, let after): log("\(before)m\(index)\(after)")
    }
  }

  /// Counts the start of a slot's run.
  private mutating func count(_ head: RunHead) {
    // Only these must not start twice.
    guard head.kind == .slot || head.kind == .resumed, head.delivery != .atLeastOnce else { return }
    let slot = ExplorerSlot(head.job, head.slot)
    if !starts.insert(slot).inserted { problems.append("\(slot) has started twice") }
  }

  private mutating func checkAlone(_ execution: ExplorerMachine.Execution, on index: Int) {
    for other in machines.indices where other != index {
      for (run, running) in machines[other].value.running
      where scene.excludes(running.job, execution.job)
        && !machines[other].value.endedMeanwhile.contains(run)
      {
        problems.append(
          "\(ExplorerSlot(execution)) has started on m\(index) while \(ExplorerSlot(running)) "
            + "runs on m\(other)")
      }
    }
  }

  private mutating func carry(_ place: Int) {
    let message = messages.remove(at: place)
    guard let reply = ask(message) else { return }
    mayFail = [message.machine]
    // A daemon that has ended since gets no answer.
    let machine = machines[message.machine].value
    guard machine.isUp, machine.life == message.life else { return }
    messages.append(
      Message(machine: message.machine, life: message.life, at: now, message: reply))
  }

  private mutating func ask(_ message: Message) -> ExplorerMessage? {
    guard case .batch(let batch) = message.message.content else { return nil }
    let request = EngineTree.Request(at: wall, batch: batch)
    self.request = request
    let (engine, reply) = memory.after(request, of: engine)
    self.engine = engine
    if case .outcome(.answered(let reply)) = reply.content {
      log(batch, reply, of: message.machine)
    }
    return reply
  }

  // MARK: What goes wrong

  /// Another machine may fail at the same moment: for it nothing has changed.
  private mutating func fail(_ fault: ExplorerScene.Fault, _ place: Int) {
    faultsLeft -= 1
    if scene.isAlone { log("m\(place): \(fault)") }
    let late = now + scene.lease + scene.grace + .seconds(4)
    let soon = now + .milliseconds(500)
    var index = place
    let isChanged = machines.contains { $0.value.version > 0 }
    switch fault {
    case .lostAnswer, .lateBatch:
      index = messages[place].machine
      fault == .lostAnswer ? loseAnswer(place) : delay(place, until: late)
    case .crash:
      change(.isKilled(until: soon, losesLedger: false, isChanged: isChanged), place)
    case .longCrash:
      change(.isKilled(until: late, losesLedger: false, isChanged: isChanged), place)
    case .crashWithoutLedger:
      change(.isKilled(until: soon, losesLedger: true, isChanged: isChanged), place)
    case .freeze: change(.standsStill(until: late), place)
    case .pause: change(.standsStill(until: now + scene.lease + .seconds(1)), place)
    case .reload:
      for other in machines.indices where other != place {
        change(.willReload(at: now + .seconds(1)), other)
      }
      change(.reloads, place)
    case .suspend: change(.isGiven(.suspend), place)
    case .resume: change(.isGiven(.resume), place)
    case .trigger: change(.isGiven(.trigger), place)
    case .fail: change(.runsFail, place)
    case .leave: change(.leaves, place)
    }
    mayFail.insert(index)
  }

  private mutating func loseAnswer(_ place: Int) {
    let message = messages.remove(at: place)
    guard ask(message) != nil else { return }
    log("and the answer is lost")
    fails(message)
  }

  private mutating func delay(_ place: Int, until instant: MonotonicInstant) {
    log("the batch of m\(messages[place].machine) is late")
    messages[place].at = instant
    fails(messages[place])
  }

  private mutating func fails(_ message: Message) {
    let failure = ClaimOutcome.failed(
      number: message.message.number, ClaimFailure("no answer in 2s"))
    messages.append(
      Message(
        machine: message.machine, life: message.life, at: now + .seconds(2),
        message: ExplorerMessage(.outcome(failure))))
  }
}
