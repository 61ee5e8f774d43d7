#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A plugin for takt, written in Swift.
///
/// ```swift
/// import TaktPlugin
///
/// await Plugin(name: "greet", version: "1.0.0").serve { run in
///   run.log("hello \(run.text("who") ?? "world")")
///   return .ok
/// }
/// ```
///
/// It speaks version 1 of the protocol in `plugins/PROTOCOL.md`, as a service or as a oneshot,
/// whichever the manifest says.
public struct Plugin: Sendable {
  private let name: String
  private let version: String

  /// Creates a plugin with the name and version that it reports to the host.
  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }

  /// Serves the host until it asks the plugin to stop, or closes the connection. Runs are
  /// concurrent; cancelling a run cancels its task.
  ///
  /// - Parameter body: performs one run. If it throws, the run fails.
  public func serve(_ body: @escaping @Sendable (PluginRun) async throws -> PluginOutcome) async {
    guard let channel = PluginChannel() else {
      let words = "\(name) is a plugin for takt; run it with `takt plugins test \(name)`\n"
      _ = write(STDERR_FILENO, words, words.utf8.count)
      exit(64)
    }
    channel.send(.hello(name: name, version: version, capabilities: ["cancel"]))
    let runs = RunningTasks()
    var isOneshot = false
    await withTaskGroup(of: Void.self) { group in
      messages: for await message in HostMessages.stream() {
        switch message.type {
        case "hello": isOneshot = message.mode == "oneshot"
        case "start":
          guard let run = PluginRun(message, channel) else {
            channel.send(.problem("bad_message", "'start' does not name a run"))
            continue
          }
          let task = Task { await Self.outcome(of: run, body) }
          runs.add(task, run.id)
          group.addTask { [isOneshot] in
            channel.send(.result(run.id, await task.value))
            runs.remove(run.id)
            // Nothing more comes, and standard input stays open until the process ends.
            if isOneshot { exit(0) }
          }
        case "cancel": runs.cancel(message.run ?? "")
        case "ping": if let id = message.id { channel.send(.pong(id)) }
        case "shutdown": break messages
        case "error": break
        default: channel.send(.problem("unknown_type", "unknown type '\(message.type)'"))
        }
      }
    }
  }

  private static func outcome(
    of run: PluginRun, _ body: @Sendable (PluginRun) async throws -> PluginOutcome
  ) async -> PluginOutcome {
    do {
      return try await body(run)
    } catch is CancellationError {
      return .failed("cancelled")
    } catch {
      return .failed("error", "\(error)")
    }
  }
}
