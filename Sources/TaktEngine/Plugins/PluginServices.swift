package import Dispatch
import Glibc
import Synchronization
package import TaktCore
package import TimerMachine
import TaktTime

/// Runs service plugins: hands runs to processes that live on, one for all jobs that may share it.
///
/// Safe from any thread; the services themselves are operated on the reactor's.
package final class PluginServices: ActionRunner {
  /// Jobs whose runs may share a process agree in all of this.
  private struct Key: Hashable {
    var manifest: PluginManifest
    var execution: Execution
  }

  /// `@unchecked Sendable`: all that changes is touched by work on the reactor's thread alone. `hand`,
  /// `add`, `service` and what services call back run there; every other use stands inside
  /// `reactor.perform`.
  private final class Table: @unchecked Sendable {
    var services: [Key: PluginService] = [:]
    /// Those whose processes are on their way out, with another one in their place.
    var leaving: [PluginService] = []
    var places: [RunID: (service: PluginService, name: String)] = [:]
    var lastID: UInt64 = 0
  }

  private let reactor: Reactor
  private let processes: ProcessRunner
  private let commands: PluginCommands
  private let clock: PluginClock
  private let sink: any OutputSink
  private let files: OutputFiles
  private let report: @Sendable (SchedulerEvent) -> Void
  private let starting = StartingAttempts()
  private let table = Table()

  /// Services whose processes `processes` runs, and that reports ends of runs to `report`.
  ///
  /// - Parameters:
  ///   - commands: Knows what plugins are told.
  ///   - factory: Makes the timers of services, on `queue`.
  package init(
    reactor: Reactor, processes: ProcessRunner, commands: PluginCommands,
    factory: any TimerFactory, queue: DispatchQueue, sink: any OutputSink, files: OutputFiles,
    report: @escaping @Sendable (SchedulerEvent) -> Void
  ) {
    self.reactor = reactor
    self.processes = processes
    self.commands = commands
    self.sink = sink
    self.files = files
    self.report = report
    clock = PluginClock(factory: factory, queue: queue, reactor: reactor)
  }

  /// Hands each run to its service, when what it is to be told has been found out.
  package func start(_ requests: [AttemptRequest]) {
    starting.add(requests.map(\.run))
    for request in requests {
      guard case .plugin(let manifest, let parameters) = request.action else { continue }
      if !PluginCall.mayBlock(manifest, request) {
        reactor.perform { [self] _ in
          hand(
            request,
            Result { () throws(Spawn.Failure) in
              try PluginCall(manifest, parameters, of: request)
            })
        }
        continue
      }
      let preparation = starting.prepare(request.run)
      let item = processes.preparing.submit(
        for: request.spec.name.text,
        onGivenUp: { [self] in
          guard preparation.finish() else { return }
          let failure = Spawn.Failure(stage: .process, number: ETIMEDOUT)
          reactor.perform { [self] _ in hand(request, .failure(failure)) }
        }
      ) { [self] in
        let call: Result<PluginCall, Spawn.Failure>
        do throws(Spawn.Failure) {
          call = .success(try PluginCall(manifest, parameters, of: request))
        } catch {
          call = .failure(error)
        }
        if preparation.finish() { reactor.perform { [self] _ in hand(request, call) } }
      }
      if item == nil, preparation.finish() {
        let failure = Spawn.Failure(stage: .process, number: EAGAIN)
        reactor.perform { [self] _ in hand(request, .failure(failure)) }
      }
    }
  }

  private func hand(_ request: AttemptRequest, _ call: Result<PluginCall, Spawn.Failure>) {
    let signals = starting.remove(request.run)?.signals ?? []
    switch call {
    case .failure(let failure):
      let log = OutputLog(of: request, to: sink, time: commands.time)
      log.warn(failure.sentence)
      report(.attemptEnded(request.run, AttemptReport(failure.result)))
    case .success(let call):
      add(
        PluginService.Run(
          request: request, call: call,
          output: AttemptOutput(
            of: request, secrets: call.hidden, to: sink, files: files, time: commands.time),
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
      } else if starting.keep(signal, for: run) {
        report(.attemptEnded(run, AttemptReport(ServiceMachine.cancelled)))
      }
    }
  }

  /// Lets go services of these plugins that are of another version than the manifests here.
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

  // MARK: On the reactor's thread

  private func service(for request: AttemptRequest, _ manifest: PluginManifest) -> PluginService {
    let own = request.spec.execution
    var shared = Execution(directory: own.directory, qos: own.qos)
    shared.environment = own.environment
    shared.inheritance = own.inheritance
    shared.identity = own.identity
    shared.umask = own.umask
    shared.limits = own.limits
    let key = Key(manifest: manifest, execution: shared)
    if let service = table.services[key] {
      if !service.isLeaving { return service }
      table.leaving.removeAll { !$0.hasProcess }
      table.leaving.append(service)
    }
    table.lastID += 1
    // No run of a job ever has so high a number.
    let id = RunID(1 << 63 | table.lastID)
    let service = PluginService(
      manifest, execution: shared, id: id, job: request.spec.name, processes: processes,
      commands: commands, clock: clock,
      sink: sink,
      report: { [self] run, end in
        table.places[run] = nil
        report(.attemptEnded(run, end))
      }, handOver: { [self] run in add(run) })
    table.services[key] = service
    return service
  }
}
