package import TaktCore
package import TaktTime

/// Makes commands, with somebody who talks with them, of runs of oneshot plugins.
///
/// Safe from any thread.
package struct PluginCommands: Sendable {
  let host: String
  let observer: any Observer
  let time: any TimeSource
  let tap: PluginTap?

  /// - Parameters:
  ///   - host: The name and version that plugins are told.
  ///   - observer: Gets what runs of plugins report besides lines.
  ///   - tap: Is told each line of the conversations. Default nil.
  package init(
    host: String, observer: any Observer, time: any TimeSource, tap: PluginTap? = nil
  ) {
    self.host = host
    self.observer = observer
    self.time = time
    self.tap = tap
  }

  /// The command of a run; it may block.
  func command(
    for request: AttemptRequest, _ manifest: PluginManifest, _ parameters: Parameters
  ) throws(Spawn.Failure) -> (AttemptRequest, OneshotChannel) {
    let call = try PluginCall(manifest, parameters, of: request)
    var command = request
    command.action = .argv(manifest.command)
    command.hidden += call.hidden
    command.spec.execution.environment.merge(call.environment) { _, own in own }
    let hello = HostMessage.line(
      HostMessage.Hello(host: host, plugin: manifest.name, mode: manifest.mode.rawValue))
    let start = call.start(
      of: request, deadline: deadline(of: request), withSecrets: false)
    let channel = OneshotChannel(
      request, manifest, run: call.run, opening: hello + start,
      reporter: PluginReporter(of: request, hidden: call.hidden, to: observer, time: time),
      time: time, tap: tap)
    return (command, channel)
  }

  /// The wall clock's reading at which the run will be cancelled.
  func deadline(of request: AttemptRequest) -> WallInstant? {
    request.deadline.map { time.wall + ($0 - time.monotonic) }
  }
}
