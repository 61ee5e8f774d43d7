import TaktCore
import TaktTime

/// What a machine does.
extension ExplorerWorld {
  mutating func boot(_ index: Int) {
    machines[index].startsAt = nil
    machines[index].isUp = true
    machines[index].life += 1
    noteVersion(index)
    machines[index].core = SchedulerCore(isQuiet: book == nil)
    if !scene.isAlone {
      machines[index].core.join(
        // One name for all: a name is not what tells them apart.
        MemberFacts(machine: "m", lease: scene.lease, grace: scene.grace))
    }
    log("m\(index) starts")
    send(
      .started(snapshot(machines[index].version), after: machines[index].ledger.previous),
      to: index)
  }

  private mutating func noteVersion(_ index: Int) {
    guard machines[index].bootedVersion != machines[index].version else { return }
    machines[index].bootedVersion = machines[index].version
    machines[index].versionFrom = now
  }

  private func snapshot(_ version: Int) -> Snapshot {
    Snapshot(settings: SchedulerSettings(), jobs: scene.versions[version])
  }

  mutating func reload(_ index: Int) {
    machines[index].reloadsAt = nil
    let old = machines[index].version
    machines[index].version = scene.versions.count - 1
    if machines[index].isUp { noteVersion(index) }
    changedAt = wall
    log("m\(index) reloads")
    guard machines[index].isUp, !machines[index].isStopping else { return done(index) }
    send(
      .reloaded(ReloadPlan(from: snapshot(old), to: snapshot(scene.versions.count - 1))), to: index)
  }

  mutating func crash(_ index: Int, until instant: MonotonicInstant) {
    log("m\(index) is killed")
    down(index)
    machines[index].startsAt = instant
    done(index)
  }

  private mutating func down(_ index: Int) {
    machines[index].isUp = false
    machines[index].timers = [:]
    machines[index].running = [:]
    machines[index].kept = []
    machines[index].guardAt = nil
    machines[index].reloadsAt = nil
    machines[index].endedMeanwhile = []
    machines[index].sentAt = [:]
    if machines.contains(where: { $0.version > 0 }), !machines[index].isStopping {
      machines[index].version = scene.versions.count - 1
    }
    machines[index].core = SchedulerCore()
    messages.removeAll { message in
      guard message.machine == index, case .outcome = message.content else { return false }
      return true
    }
  }

  /// What runs under a lease that was not renewed is ended. takt hears of it.
  mutating func endUnrenewed(_ index: Int) {
    machines[index].guardAt = nil
    for (run, execution) in machines[index].running where execution.isGuarded {
      log("the guard of m\(index) ends \(key(execution.job, execution.slot))")
      machines[index].running[run]?.endsAt = now
      machines[index].running[run]?.result = .signalled(9)
      machines[index].endedMeanwhile.append(run)
    }
    done(index)
  }

  mutating func send(_ event: SchedulerEvent, to index: Int) {
    var effects: [SchedulerEffect] = []
    machines[index].core.handle(event, at: clock, into: &effects)
    var turn: [SchedulerEffect] = []
    machines[index].core.endTurn(at: clock, into: &turn)
    for effect in effects + turn { perform(effect, of: index) }
    done(index)
  }

  var firstJob: JobName { scene.versions[0][0].name }

  mutating func order(_ command: SchedulerCommand, of index: Int) {
    let (_, effects) = machines[index].core.perform(command, at: clock)
    for effect in effects { perform(effect, of: index) }
    done(index)
  }

  mutating func done(_ index: Int) {
    lastMachine = index
    machines[index].digest = nil
  }

  private mutating func perform(_ effect: SchedulerEffect, of index: Int) {
    switch effect {
    case .record(let entry): record(entry, of: index)
    case .awaitLedger(let run): machines[index].kept.append(run)
    case .start(let request): start(request, on: index)
    case .signal(let run, let signal):
      machines[index].running[run]?.endsAt = now
      machines[index].running[run]?.result = .signalled(signal == .kill ? 9 : 15)
    case .arm(let timer, let deadline, _, _, let token):
      machines[index].timers[timer] = (max(deadline, now), token)
    case .holdTimer(let job, _): machines[index].timers[.job(job)] = nil
    case .disarm(let timer): machines[index].timers[timer] = nil
    case .claims(let batch):
      machines[index].sentAt[batch.number] = now
      messages.append(
        Message(machine: index, life: machines[index].life, at: now, content: .batch(batch)))
    case .leased(let batch, let duration):
      if let sent = machines[index].sentAt[batch] { machines[index].guardAt = sent + duration }
    case .log(let record):
      // What a machine hears of another one has its own line there.
      if case .text(let text)? = record[.message], !text.hasPrefix("machine '") {
        log("m\(index): \(text)")
      }
    case .served: break
    case .finish:
      log("m\(index) has ended")
      down(index)
    }
  }

  private mutating func record(_ entry: LedgerEntry, of index: Int) {
    machines[index].ledger.record([entry])
    // One that goes on with a further attempt starts nothing again.
    if case .began(let beginning) = entry, beginning.attempt == 1 { count(beginning.head) }
    if case .ended(let run) = entry, run.head.kind != .hook {
      log("m\(index) writes of run \(run.head.run) of \(run.head.job): \(run.end.words)")
      if run.end.outcome == .succeeded { successes[run.head.job, default: 0] += 1 }
    }
    guard case .verdict(let record) = entry else { return }
    let slots = record.slots
    decided[record.job, default: 0] += slots.count
    for slot in slots.count == 1 ? [slots.first] : [slots.first, slots.last] {
      let key = key(record.job, slot)
      log("m\(index) writes of \(key): \(record.verdict)")
      if let known = machines[index].verdicts.updateValue(record.verdict, forKey: key) {
        problems.append("m\(index) has two verdicts of \(key): \(known), \(record.verdict)")
      }
    }
  }

  /// A run of a slot begins.
  private mutating func count(_ head: RunHead) {
    guard head.kind == .slot || head.kind == .resumed else { return }
    let key = key(head.job, head.slot)
    starts[key, default: 0] += 1
    if starts[key, default: 0] > 1, head.delivery != .atLeastOnce {
      problems.append("\(key) has started twice")
    }
  }

  private mutating func start(_ request: AttemptRequest, on index: Int) {
    let spec = request.spec
    let key = key(spec.name, request.slot)
    log("m\(index) starts \(key), fence \(request.fence.map { "\($0.number)" } ?? "none")")
    for (other, machine) in machines.enumerated() where !spec.overlap.mayMeet {
      for (run, execution) in machine.running
      where execution.job == spec.name && !machine.endedMeanwhile.contains(run) {
        problems.append(
          "\(key) has started on m\(index) while \(self.key(execution.job, execution.slot)) runs "
            + "on m\(other)")
      }
    }
    machines[index].running[request.run] = Execution(
      job: spec.name, slot: request.slot,
      isGuarded: request.fence != nil && spec.onLeaseLost == .stop, endsAt: now + length,
      result: .exited(0))
    started.append(Started(machine: index, run: request.run))
  }

  func key(_ job: JobName, _ slot: WallInstant) -> String {
    "\(job) \((slot - ExplorerScene.start).milliseconds)"
  }
}
