import Glibc
import Synchronization
package import TaktCore

/// Runs attempts whose action is a command or a oneshot plugin.
///
/// Safe from any thread.
package final class CommandRunner: ActionRunner {
  /// Completes the command of a plugin's attempt; may block.
  package typealias PluginStart =
    @Sendable (inout Command, AttemptRequest) throws(StartFailure) -> Void

  private let processes: ProcessRunner
  private let plugins: PluginStart?
  private let passThrough: PassThrough?
  private let ledger: (any Ledger)?
  private let report: @Sendable (SchedulerEvent) -> Void
  private let idByRun = Mutex<[RunID: ProcessID]>([:])

  /// A runner whose processes `processes` runs, and that reports ends to `report`, on the reactor's
  /// thread.
  ///
  /// - Parameters:
  ///   - plugins: Completes commands of runs of plugins. Default nil: there are none.
  ///   - passThrough: Gets the output of commands in place of the log. Default nil.
  ///   - ledger: Gets the process of each attempt, so that the next daemon can find it. Default
  ///     nil.
  package init(
    processes: ProcessRunner, plugins: PluginStart? = nil, passThrough: PassThrough? = nil,
    ledger: (any Ledger)? = nil, report: @escaping @Sendable (SchedulerEvent) -> Void
  ) {
    self.processes = processes
    self.plugins = plugins
    self.passThrough = passThrough
    self.ledger = ledger
    self.report = report
  }

  /// Starts the attempts' commands; a failure is reported as an end.
  package func start(_ requests: [AttemptRequest]) {
    start(requests.map { ($0.run, command(for: $0)) })
  }

  /// Starts another command than the job's own for an attempt.
  func start(_ request: AttemptRequest, as change: (inout Command) -> Void) {
    var command = command(for: request)
    change(&command)
    start([(request.run, command)])
  }

  private func start(_ commands: [(run: RunID, command: Command)]) {
    idByRun.withLock { for (run, command) in commands { $0[run] = command.id } }
    processes.start(commands.map(\.command))
  }

  private func command(for request: AttemptRequest) -> Command {
    var command = Command(of: request)
    command.passThrough = passThrough
    command.observe = { [self, run = request.run] in observe($0, of: run) }
    if case .plugin = request.action {
      command.complete = { [plugins] command throws(StartFailure) in
        guard let plugins else { throw StartFailure(stage: .exec, number: ENOSYS) }
        try plugins(&command, request)
      }
    }
    return command
  }

  private func observe(_ event: ProcessEvent, of run: RunID) {
    switch event {
    case .started(let process): ledger?.record(.process(run, process))
    case .ended(let end):
      // The next attempt or step of the run may take the place only after this report.
      if end.descendants.isEmpty { forget(run) }
      report(.actionEnded(run, end))
    case .gone(let end):
      forget(run)
      report(.groupEnded(run, end))
    }
  }

  private func forget(_ run: RunID) {
    idByRun.withLock { _ = $0.removeValue(forKey: run) }
  }

  /// Signals all processes of the attempt; one that is being started gets the signal afterwards.
  package func stop(_ run: RunID, signal: StopSignal) {
    guard let id = idByRun.withLock({ $0[run] }) else { return }
    processes.stop(id, signal: signal)
  }
}
