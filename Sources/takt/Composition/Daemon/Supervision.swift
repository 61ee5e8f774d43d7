import Synchronization
import TaktCore
import TaktEngine
import TimerMachine
import TaktTime

final class Supervision: Sendable {
  private let manager: ServiceManager
  private let engine: Engine
  private let watchdog: SafeTimer?
  /// The manager has been notified that the jobs run, and that takt stops.
  private let isUp = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)

  /// Nil without a service manager.
  init?(_ engine: Engine) {
    guard let manager = ServiceManager() else { return nil }
    self.manager = manager
    self.engine = engine
    guard let interval = manager.watchdogInterval else {
      watchdog = nil
      return
    }
    // Uses the wake queue and the scheduler's own queue, and fires only while children can be
    // started: if any of these hangs, so does this.
    let machine = SafeTimer(
      name: "watchdog-timer", factory: engine.factory, queue: engine.turns.queue,
      observer: engine.timerLog)
    if let schedule = try? TimerSchedule.every(interval / 2, leeway: interval / 8) {
      machine.activate(schedule) { if engine.startsProcesses { manager.alive() } }
    }
    watchdog = machine
  }

  /// Reports that the jobs run, by the file, or, if it has just been refused, by the previous one.
  func ready(isRefused: Bool = false) {
    engine.scheduler.query(
      { core, _ in (phase: core.phase, jobs: core.jobCount) },
      reply: { [self] seen in
        guard seen.phase == .running, !isStopping.load(ordering: .relaxed) else { return }
        isUp.store(true, ordering: .relaxed)
        manager.status(
          (seen.jobs == 1 ? "1 job" : "\(seen.jobs) jobs")
            + (isRefused ? "; the last reload was refused, see the log" : ""))
        manager.ready()
      })
  }

  func reloading() {
    guard isUp.load(ordering: .relaxed), !isStopping.load(ordering: .relaxed) else { return }
    manager.reloading(at: engine.factory.time.monotonic)
  }

  /// Ends the signs of life.
  func end() { watchdog?.cancel() }

  func stopping() {
    isStopping.store(true, ordering: .relaxed)
    manager.stopping()
  }
}
