import Glibc
import TaktCore
import TaktTime

/// The conversation with a plugin that has a process for one run.
///
/// `@unchecked Sendable`: a thread of the pool makes it and does not touch it again; others carry
/// it to the reactor's thread with the child, and only `ChildConversation` calls it, on that
/// thread. State is passed on through the reactor's lock.
final class OneshotChannel: ChildChannel, @unchecked Sendable {
  private let request: AttemptRequest
  private let manifest: PluginManifest
  private let opening: [UInt8]
  private let run: String
  private let reporter: PluginReporter
  private let time: any TimeSource
  private let tap: PluginTap?
  private var conversation: PluginConversation
  private var flood: PluginFlood
  private var line: ChildLine?
  private var result: PluginResult?
  private var fault: PluginFault?
  private var handlesCancel = false

  /// - Parameter opening: the first lines for the plugin.
  init(
    _ request: AttemptRequest, _ manifest: PluginManifest, run: String, opening: [UInt8],
    reporter: PluginReporter, time: any TimeSource, tap: PluginTap?
  ) {
    self.request = request
    self.manifest = manifest
    self.run = run
    self.opening = opening
    self.reporter = reporter
    self.time = time
    self.tap = tap
    conversation = PluginConversation(isService: false, tap: tap)
    flood = PluginFlood(at: time.monotonic)
  }

  func started(_ line: ChildLine) {
    self.line = line
    sendLines(opening)
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    conversation.feed(bytes) { event in
      guard fault == nil else { return }
      guard flood.allows(at: time.monotonic) else { return fail(.flood) }
      handle(event)
    }
  }

  func closed() {}

  private func sendLines(_ lines: [UInt8]) {
    tap.forward(lines)
    line?.send(lines)
  }

  private func handle(_ event: PluginConversation.Event) {
    switch event {
    case .hello(_, _, let capabilities): handlesCancel = capabilities.contains("cancel")
    case .progress(let run, let percent, let message):
      if isOwn(run) { reporter.progress(percent, message) }
    case .log(let run, let level, let message):
      if isOwn(run) { line?.output.line(message, level) }
    case .metric(let run, let name, let value, let unit):
      if isOwn(run) { reporter.metric(name, value, unit) }
    case .result(let run, let result):
      guard isOwn(run) else { return }
      guard self.result == nil else { return fail(.twoResults) }
      self.result = reporter.masked(result)
      if let message = result.message { line?.output.line(message, result.isOK ? .info : .error) }
      // Its further work belongs to no run.
      line?.close()
    case .pong: break
    case .complaint(let code, let message):
      line?.output.line("the plugin reported an unknown message: \(code) \(message)", .warning)
    case .unknownType(let type):
      line?.output.line("the plugin sent a message of an unknown type: \(type)", .warning)
      sendLines(
        MessageToPlugin.line(
          MessageToPlugin.Problem(
            code: "unknown_type", message: "unknown type '\(type)'", run: run)))
    case .violation(let fault, _): fail(fault)
    }
  }

  /// A oneshot plugin may leave out its run.
  private func isOwn(_ run: String?) -> Bool {
    guard let run, run != self.run else { return true }
    fail(.wrongRun)
    return false
  }

  private func fail(_ fault: PluginFault) {
    self.fault = fault
    line?.output.line(fault.sentence, .error)
    line?.kill()
  }

  func handlesSignal() -> Bool {
    guard result == nil, fault == nil else { return true }
    let isOverdue = request.deadline.map { time.monotonic >= $0 } ?? false
    sendLines(
      MessageToPlugin.line(
        MessageToPlugin.Cancel(
          run: run, reason: isOverdue ? "timeout" : "cancelled",
          grace_ms: request.spec.execution.stop.grace.milliseconds)))
    return !handlesCancel
  }

  func adjusted(_ result: AttemptResult) -> AttemptResult {
    if case .notStarted = result { return result }
    if let fault { return fault.result }
    if let reported = self.result { return reported.attemptResult(exit: result) }
    if conversation.hasSentMessage {
      return result == .exited(0) ? PluginFault.noResult.result : result
    }
    guard manifest.isNagios, case .exited(let status) = result else { return result }
    if let head = line?.output.keptHead {
      let output = NagiosOutput(head)
      for metric in output.metrics { reporter.metric(metric.name, metric.value, metric.unit) }
    }
    // A status that the job counts as success is success here as well.
    if request.spec.execution.success.exitStatuses.contains(status) { return result }
    return NagiosOutput.result(status)
  }
}
