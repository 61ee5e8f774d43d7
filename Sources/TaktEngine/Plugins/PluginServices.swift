package import Dispatch
import Glibc
import Synchronization
package import TaktCore
package import TimerMachine
import TaktTime

/// Runs service plugins: passes runs to processes that live on, one for all jobs that may share it.
///
/// Safe from any thread; the services themselves are used on the reactor's.
package final class PluginServices: ActionRunner {
  /// Jobs with equal keys may share a process.
  private struct Key: Hashable {
    var manifest: PluginManifest
    var execution: Execution
  }

  /// `@unchecked Sendable`: all mutable state is touched only by work on the reactor's thread.
  /// `hand`, `add`, `service` and the callbacks of services run there; every other use is inside
  /// `reactor.perform`.
  private final class Table: @unchecked Sendable {
    var services: [Key: PluginService] = [:]
    /// Services whose processes are ending, with another one in their place.
    var leaving: [PluginService] = []
    var places: [RunID: (service: PluginService, name: String)] = [:]
  }

  private let reactor: Reactor
  private let processes: ProcessRunner
  private let commands: PluginCommands
  private let clock: PluginClock
  private let sink: any OutputSink
  private let files: OutputFiles
  private let ledger: (any Ledger)?
  private let report: @Sendable (SchedulerEvent) -> Void
  private let starting = PendingStarts<RunID>()
  private let table = Table()

  /// Services whose processes `processes` runs, and that report ends of runs to `report`.
  ///
  /// - Parameters:
  ///   - commands: Makes the opening messages.
  ///   - factory: Makes the timers of services, on `queue`.
  ///   - timerLog: Gets every transition of those timers.
  ///   - ledger: Gets each process, so that the next daemon can find it. Default nil.
  package init(
    reactor: Reactor, processes: ProcessRunner, commands: PluginCommands,
    factory: any TimerFactory, timerLog: any TimerObserver, queue: DispatchQueue,
    sink: any OutputSink, files: OutputFiles, ledger: (any Ledger)? = nil,
    report: @escaping @Sendable (SchedulerEvent) -> Void
  ) {
    self.reactor = reactor
    self.processes = processes
    self.commands = commands
    self.sink = sink
    self.files = files
    self.ledger = ledger
    self.report = report
    clock = PluginClock(factory: factory, timerLog: timerLog, queue: queue, reactor: reactor)
  }

  /// Passes each run to its service, once its data is looked up.
  package func start(_ requests: [AttemptRequest]) {
    starting.add(requests.map(\.run))
    for request in requests {
      guard case .plugin(let manifest, let parameters) = request.action else { continue }
      let call = { @Sendable () throws(StartFailure) in
        try PluginCall(manifest, parameters, of: request)
      }
      if !PluginCall.mayBlock(manifest, request) {
        reactor.perform { [self] _ in hand(request, Result(catching: call)) }
        continue
      }
      starting.prepare(
        request.run, for: request.spec.name.text, on: processes.preparing, call,
        onCancelled: { [self] in
          report(.actionEnded(request.run, AttemptReport(ServiceMachine.cancelled)))
        },
        then: { [self] call in reactor.perform { [self] _ in hand(request, call) } })
    }
  }

  private func hand(_ request: AttemptRequest, _ call: Result<PluginCall, StartFailure>) {
    let signals = starting.remove(request.run)
    switch call {
    case .failure(let failure):
      let log = OutputLog(of: request.output, to: sink, time: commands.time)
      log.warn(failure.sentence)
      report(
        .actionEnded(
          request.run,
          AttemptReport(failure.result, output: OutputFacts(ofNothing: failure.sentence))))
    case .success(let call):
      add(
        PluginService.Run(
          request: request, call: call,
          output: AttemptOutput(
            of: request.output, secrets: call.hidden, to: sink, files: files, time: commands.time),
          reporter: PluginReporter(
            of: request, hidden: call.hidden, to: commands.observer, time: commands.time)))
      for signal in signals { table.places[request.run]?.service.stop(call.run, signal) }
    }
  }

  private func add(_ run: PluginService.Run) {
    let service = service(for: run.request, run.call.manifest)
    table.places[run.request.run] = (service, run.call.run)
    service.add(run)
  }

  /// Cancels a run, or ends it without its result.
  package func stop(_ run: RunID, signal: StopSignal) {
    reactor.perform { [self] _ in
      if let (service, name) = table.places[run] {
        service.stop(name, signal)
      } else {
        starting.keep(signal, for: run)
      }
    }
  }

  /// Retires services of these plugins that have another version than the manifests here.
  package func replace(by manifests: [PluginManifest]) {
    reactor.perform { [self] _ in
      for (key, service) in table.services
      where manifests.contains(where: { $0.name == key.manifest.name && $0 != key.manifest }) {
        service.retire()
      }
      table.services = table.services.filter { !$0.value.isGone }
      table.leaving.removeAll { !$0.hasProcess }
    }
  }

  /// Asks all services to end and waits for them, at most `timeout`; then they are killed.
  package func close(timeout: Duration) {
    let ended = DispatchSemaphore(value: 0)
    reactor.perform { [self] _ in
      let living = (Array(table.services.values) + table.leaving).filter(\.hasProcess)
      let left = Mutex(living.count)
      if living.isEmpty { ended.signal() }
      for service in living {
        service.onEnd = {
          if left.withLock({ left in
            left -= 1
            return left == 0
          }) {
            ended.signal()
          }
        }
        service.retire()
      }
    }
    if ended.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds))) == .success { return }
    reactor.perform { [self] _ in
      for service in Array(table.services.values) + table.leaving { service.kill() }
    }
    _ = ended.wait(timeout: .now() + .seconds(1))
  }

  private func service(for request: AttemptRequest, _ manifest: PluginManifest) -> PluginService {
    let key = Key(manifest: manifest, execution: request.spec.execution.ofSharedProcess)
    if let service = table.services[key] {
      if !service.isLeaving { return service }
      table.leaving.removeAll { !$0.hasProcess }
      table.leaving.append(service)
    }
    let service = PluginService(
      manifest, execution: key.execution, processes: processes, commands: commands, clock: clock,
      sink: sink, ledger: ledger,
      report: { [self] run, end in
        table.places[run] = nil
        report(.actionEnded(run, end))
      }, handOver: { [self] run in add(run) })
    table.services[key] = service
    return service
  }
}

extension Execution {
  /// The part that counts for a process with runs of several jobs: without the settings of a single
  /// run.
  fileprivate var ofSharedProcess: Execution {
    let plain = Execution(output: OutputPolicy(keepBytes: 0))
    var result = self
    result.shell = plain.shell
    result.secrets = plain.secrets
    result.stdin = plain.stdin
    result.timeout = plain.timeout
    result.stop = plain.stop
    result.output = plain.output
    result.success = plain.success
    result.retry = plain.retry
    return result
  }
}

/// Makes the timers of services: their fires arrive on the reactor's thread.
struct PluginClock: Sendable {
  let factory: any TimerFactory
  let timerLog: any TimerObserver
  let queue: DispatchQueue
  let reactor: Reactor

  /// A timer that is not armed. `body` is called on the reactor's thread, with the generation of
  /// the arming: a fire of an earlier arming may still come.
  func timer(_ name: String, _ body: @escaping @Sendable (UInt64) -> Void) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, observer: timerLog) {
      [reactor] fire in
      reactor.perform { _ in body(fire.generation) }
    }
  }
}

extension SafeTimer {
  /// Fires once after a while, in place of any earlier arming; a tenth of the time is leeway.
  /// Returns the generation of this arming; nil if it was refused.
  func wait(_ duration: Duration) -> UInt64? {
    guard let schedule = try? TimerSchedule.once(after: duration, leeway: duration / 10) else {
      return nil
    }
    if case .accepted(let generation) = setSchedule(schedule) { return generation }
    return nil
  }
}
