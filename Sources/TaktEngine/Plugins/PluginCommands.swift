package import TaktCore
package import TaktTime

/// Gets each line of a conversation, on any thread: true for a line of the plugin, and the line.
package typealias PluginTap = @Sendable (_ isOfPlugin: Bool, _ line: String) -> Void

/// Passes on the host's lines.
extension Optional where Wrapped == PluginTap {
  func forward(_ lines: [UInt8]) {
    guard let tap = self else { return }
    for line in lines.split(separator: 10) { tap(false, String(decoding: line, as: UTF8.self)) }
  }
}

/// Turns runs of oneshot plugins into commands with a conversation.
///
/// Safe from any thread.
package struct PluginCommands: Sendable {
  let host: String
  let observer: any Observer
  let time: any TimeSource
  let tap: PluginTap?

  /// - Parameters:
  ///   - host: The name and version sent to plugins.
  ///   - observer: Gets reports of plugins' runs other than lines.
  ///   - tap: Gets each line of the conversations. Default nil.
  package init(host: String, observer: any Observer, time: any TimeSource, tap: PluginTap? = nil) {
    self.host = host
    self.observer = observer
    self.time = time
    self.tap = tap
  }

  /// Completes the command of a run; may block.
  package func complete(_ command: inout Command, of request: AttemptRequest) throws(StartFailure) {
    guard case .plugin(let manifest, let parameters) = request.action else { return }
    let call = try PluginCall(manifest, parameters, of: request)
    command.arguments = manifest.command
    command.hidden += call.hidden
    command.execution.environment.becomePlugin(with: call.environment)
    let start = call.start(of: request, deadline: deadline(of: request), withSecrets: false)
    command.channel = OneshotChannel(
      request, manifest, run: call.run, opening: hello(manifest) + start,
      reporter: PluginReporter(of: request, hidden: call.hidden, to: observer, time: time),
      time: time, tap: tap)
  }

  func hello(_ manifest: PluginManifest) -> [UInt8] {
    MessageToPlugin.line(
      MessageToPlugin.Hello(host: host, plugin: manifest.name, mode: manifest.mode.rawValue))
  }

  /// The wall clock time at which the run will be cancelled.
  func deadline(of request: AttemptRequest) -> WallInstant? {
    request.deadline.map { time.wall + ($0 - time.monotonic) }
  }
}

extension [String: String] {
  /// Turns the environment of a job into that of a plugin. Variables of a trigger look like a
  /// plugin's parameters, but are not, and are removed.
  mutating func becomePlugin(with own: [String: String]) {
    self = filter { !$0.key.hasPrefix(BoundedParameter.variable(of: "")) }
    merge(own) { $1 }
  }
}
