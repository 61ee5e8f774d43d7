import Glibc
import TaktCore
import TaktTime

/// The conversation with a plugin that has a process for one run.
///
/// `@unchecked Sendable`: a thread of the pool makes it and does not touch it again; others carry it
/// to the reactor's thread with the child, and `ChildConversation`, which alone calls it, exists on
/// that thread alone. What is handed over comes through the reactor's lock.
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
  private var heedsCancel = false

  /// - Parameter opening: what the plugin is told first.
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
    say(opening)
  }

  func received(_ bytes: UnsafeRawBufferPointer) {
    conversation.take(bytes) { event in
      guard fault == nil else { return }
      guard flood.take(at: time.monotonic) else { return fail(.flood) }
      take(event)
    }
  }

  func closed() {}

  private func say(_ lines: [UInt8]) {
    tap.hear(lines)
    line?.send(lines)
  }

  private func take(_ event: PluginConversation.Event) {
    switch event {
    case .hello(_, _, let capabilities): heedsCancel = capabilities.contains("cancel")
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
      // What it does from now on is nobody's work.
      line?.close()
    case .pong: break
    case .complaint(let code, let message):
      line?.output.line("the plugin did not understand: \(code) \(message)", .warning)
    case .unknownType(let type):
      line?.output.line("the plugin has said something of an unknown type: \(type)", .warning)
      say(
        HostMessage.line(
          HostMessage.Problem(
            code: "unknown_type", message: "there is no type '\(type)'", run: run)))
    case .violation(let fault, _): fail(fault)
    }
  }

  /// A oneshot may leave its run out.
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

  func takesSignal() -> Bool {
    guard result == nil, fault == nil else { return true }
    let isOverdue = request.deadline.map { time.monotonic >= $0 } ?? false
    say(
      HostMessage.line(
        HostMessage.Cancel(
          run: run, reason: isOverdue ? "timeout" : "cancelled",
          grace_ms: request.spec.execution.stop.grace.milliseconds)))
    return !heedsCancel
  }

  func judge(_ result: AttemptResult) -> AttemptResult {
    if case .notStarted = result { return result }
    if let fault { return fault.result }
    if let said = self.result { return said.attemptResult(exit: result) }
    if conversation.hasSpoken {
      return result == .exited(0) ? PluginFault.noResult.result : result
    }
    guard manifest.isNagios, case .exited(let status) = result else { return result }
    if let head = line?.output.keptHead {
      let output = NagiosOutput(head)
      for metric in output.metrics { reporter.metric(metric.name, metric.value, metric.unit) }
    }
    // What the job counts as success is success here as well.
    if request.spec.execution.success.exitStatuses.contains(status) { return result }
    return NagiosOutput.result(status)
  }
}
