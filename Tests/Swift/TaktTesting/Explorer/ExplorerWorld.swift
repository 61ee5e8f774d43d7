import TaktCore
import TaktTime

/// A cluster at one instant, as a value: machines, engine, and what is under way between them.
struct ExplorerWorld {
  struct Machine {
    var core = SchedulerCore()
    var ledger = LedgerModel()
    var timers: [TimerID: (deadline: MonotonicInstant, token: UInt64)] = [:]
    var running: [RunID: Execution] = [:]
    /// Runs of which it is to hear that they are kept.
    var kept: [RunID] = []
    /// Runs that the guard has ended while it stood still.
    var endedMeanwhile: [RunID] = []
    var isUp = false
    var isStopping = false
    var startsAt: MonotonicInstant?
    var frozenUntil: MonotonicInstant?
    var reloadsAt: MonotonicInstant?
    /// The guard ends what runs by then.
    var guardAt: MonotonicInstant?
    var sentAt: [UInt64: MonotonicInstant] = [:]
    var life = 0
    var version = 0
    /// Since when it has had that version.
    var versionFrom = MonotonicInstant(nanoseconds: 0)
    var bootedVersion = 0
    /// What its ledger says of each slot, and since when it says anything.
    var verdicts: [String: Verdict] = [:]
    var ledgerSince = MonotonicInstant(nanoseconds: 0)
    /// Of what only this machine's own steps change; nil since the last of them.
    var digest: Int?
  }

  struct Execution: Hashable {
    var job: JobName
    var slot: WallInstant
    var isGuarded: Bool
    var endsAt: MonotonicInstant
    var result: AttemptResult
  }

  struct Started {
    var machine: Int
    var run: RunID
  }

  enum Content {
    case batch(ClaimBatch)
    case outcome(ClaimOutcome)
  }

  struct Message {
    var machine: Int
    var life: Int
    var at: MonotonicInstant
    var content: Content
  }

  /// What may happen next.
  enum Step: Hashable {
    case boot(Int)
    case thaw(Int)
    case reload(Int)
    case fire(Int, TimerID)
    case end(Int, RunID)
    case kept(Int, RunID)
    /// The engine does a batch.
    case carry(Int)
    /// A machine hears what came of one.
    case hear(Int)
    case guards(Int)
    case pass
    case fault(ExplorerScene.Fault, Int)
  }

  let scene: ExplorerScene
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var machines: [Machine]
  var engine = MemoryEngine()
  var messages: [Message] = []
  var faultsLeft: Int
  /// When the newest version of the file reached the last machine.
  var changedAt: WallInstant?
  /// Whose event came last; nil when time has passed.
  var lastMachine: Int?
  /// How many times each slot has been started.
  var starts: [String: Int] = [:]
  /// How many runs of each job have succeeded, and how many slots have verdicts.
  var successes: [JobName: Int] = [:]
  var decided: [JobName: Int] = [:]
  var problems: [String] = []
  /// How long the next run takes.
  var length: Duration
  /// Runs that the last step has started: the world with them lasting otherwise is to be explored as
  /// well.
  var started: [Started] = []
  /// What happens, for people; nil where nobody reads it.
  let book: Book?
  let kinds = ValueDigest.Kinds()
  /// Nil since the engine has done something.
  var engineDigest: Int?
  /// What the last step asked of the engine.
  var request: EngineTree.Request?

  init(_ scene: ExplorerScene, book: Book? = nil) {
    self.scene = scene
    self.book = book
    faultsLeft = scene.faultsMax
    length = scene.lengths[0]
    engine.plant = scene.plant
    machines = Array(repeating: Machine(), count: scene.machines)
    for index in machines.indices { machines[index].startsAt = now }
  }

  var wall: WallInstant { wall(of: now) }

  func wall(of instant: MonotonicInstant) -> WallInstant {
    ExplorerScene.start + (instant - MonotonicInstant(nanoseconds: 1_000_000_000))
  }

  var clock: Now { Now(wall: wall, monotonic: now) }

  // MARK: A step

  mutating func apply(_ step: Step) {
    started = []
    request = nil
    begin(step)
    switch step {
    case .pass:
      if let next = nextInstant { now = next }
      lastMachine = nil
    case .boot(let index): boot(index)
    case .thaw(let index):
      machines[index].frozenUntil = nil
      log("m\(index) goes on")
      done(index)
    case .reload(let index): reload(index)
    case .fire(let index, let timer):
      guard let arming = machines[index].timers.removeValue(forKey: timer) else { return }
      send(.timerFired(timer, token: arming.token), to: index)
    case .end(let index, let run):
      guard let execution = machines[index].running.removeValue(forKey: run) else { return }
      log("m\(index) ends \(key(execution.job, execution.slot)): \(execution.result)")
      send(.actionEnded(run, AttemptReport(execution.result)), to: index)
    case .kept(let index, let run):
      machines[index].kept.removeAll { $0 == run }
      send(.kept(run), to: index)
    case .carry(let place): carry(place)
    case .hear(let place):
      let message = messages.remove(at: place)
      guard case .outcome(let outcome) = message.content, machines[message.machine].isUp,
        machines[message.machine].life == message.life
      else { return }
      if case .failed = outcome { log("m\(message.machine) hears nothing") }
      send(.claims(outcome), to: message.machine)
    case .guards(let index): endUnrenewed(index)
    case .fault(let fault, let place): fail(fault, place)
    }
  }

  private mutating func carry(_ place: Int) {
    let message = messages.remove(at: place)
    guard case .batch(let batch) = message.content else { return }
    let reply = ask(batch)
    log(batch, reply, of: message.machine)
    engineDone(message.machine)
    // Nobody hears what comes for one that has ended since.
    guard machines[message.machine].isUp, machines[message.machine].life == message.life else {
      return
    }
    messages.append(
      Message(
        machine: message.machine, life: message.life, at: now,
        content: .outcome(.answered(reply))))
  }

  private mutating func ask(_ batch: ClaimBatch) -> ClaimReply {
    request = EngineTree.Request(at: wall, batch: batch)
    return engine.perform(batch, at: wall)
  }

  private mutating func engineDone(_ index: Int) {
    lastMachine = index
    engineDigest = nil
  }

  private mutating func fail(_ fault: ExplorerScene.Fault, _ place: Int) {
    faultsLeft -= 1
    if scene.isAlone { log("m\(place): \(fault)") }
    let late = now + scene.lease + scene.grace + .seconds(4)
    switch fault {
    case .lostAnswer, .lateBatch:
      let message = messages[place]
      guard case .batch(let batch) = message.content else { return }
      if fault == .lostAnswer {
        messages.remove(at: place)
        let reply = ask(batch)
        log(batch, reply, of: message.machine)
        log("and the answer is lost")
        engineDone(message.machine)
      } else {
        log("the batch of m\(message.machine) is late")
        messages[place].at = late
        lastMachine = message.machine
      }
      messages.append(
        Message(
          machine: message.machine, life: message.life, at: now + .seconds(2),
          content: .outcome(.failed(number: batch.number, ClaimFailure("no answer in 2s")))))
    case .crash: crash(place, until: now + .milliseconds(500))
    case .longCrash: crash(place, until: late)
    case .crashWithoutLedger:
      machines[place].ledger = LedgerModel()
      machines[place].verdicts = [:]
      machines[place].ledgerSince = now
      log("m\(place) loses its ledger")
      crash(place, until: now + .milliseconds(500))
    case .freeze:
      log("m\(place) stands still")
      machines[place].frozenUntil = late
      done(place)
    case .reload:
      for index in machines.indices where index != place {
        machines[index].reloadsAt = now + .seconds(1)
      }
      reload(place)
    case .suspend:
      order(.suspend(firstJob, until: wall + .seconds(2), reason: "explored"), of: place)
    case .resume: order(.resume(firstJob), of: place)
    case .trigger: order(.trigger(firstJob), of: place)
    case .fail:
      for run in machines[place].running.keys {
        machines[place].running[run]?.endsAt = now
        machines[place].running[run]?.result = .exited(1)
      }
      done(place)
    case .leave:
      log("m\(place) gets SIGTERM")
      machines[place].isStopping = true
      send(.stop, to: place)
    }
  }
}
