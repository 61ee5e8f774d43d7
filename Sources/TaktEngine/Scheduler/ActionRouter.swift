package import TaktCore

package final class ActionRouter: ActionRunner {
  private let commands: any ActionRunner
  private let builtins: any ActionRunner
  private let services: (any ActionRunner)?

  /// Commands and oneshot plugins go to `commands`, named actions and plugins that are requests to
  /// `builtins`, service plugins to `services`, which may be missing if no job uses any.
  package init(
    commands: any ActionRunner, builtins: any ActionRunner, services: (any ActionRunner)? = nil
  ) {
    self.commands = commands
    self.builtins = builtins
    self.services = services
  }

  package func start(_ requests: [AttemptRequest]) {
    var executed: [AttemptRequest] = []
    var named: [AttemptRequest] = []
    var served: [AttemptRequest] = []
    for request in requests {
      switch request.action {
      case .shell, .argv, .steps: executed.append(request)
      case .use: named.append(request)
      case .plugin(let manifest, _) where manifest.request != nil: named.append(request)
      case .plugin(let manifest, _):
        switch manifest.mode {
        case .oneshot: executed.append(request)
        case .service: served.append(request)
        }
      }
    }
    if !executed.isEmpty { commands.start(executed) }
    if !named.isEmpty { builtins.start(named) }
    if !served.isEmpty { services?.start(served) }
  }

  /// Stops a run of any runner. The built-ins first: one that has just become a command is known to
  /// the commands by the time that the built-ins ignore it.
  package func stop(_ run: RunID, signal: StopSignal) {
    builtins.stop(run, signal: signal)
    commands.stop(run, signal: signal)
    services?.stop(run, signal: signal)
  }
}
