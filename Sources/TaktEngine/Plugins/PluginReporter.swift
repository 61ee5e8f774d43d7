import TaktCore
import TaktTime

/// Records the progress of a plugin's run, and its metrics.
///
/// Used on the reactor's thread only.
final class PluginReporter {
  /// The minimum time between two reports of progress; those in between are dropped.
  private static let progressInterval = Duration.seconds(1)

  private let mask: SecretAutomaton?
  private let run: RunID
  private let facts: [LogField]
  private let observer: any Observer
  private let time: any TimeSource
  private var lastProgress: MonotonicInstant?

  /// - Parameter hidden: the values to mask in reports.
  init(
    of request: AttemptRequest, hidden: [[UInt8]], to observer: any Observer, time: any TimeSource
  ) {
    mask = SecretAutomaton(withTrimmed: hidden)
    run = request.run
    facts = request.outputFacts
    self.observer = observer
    self.time = time
  }

  func progress(_ percent: Double?, _ message: String?) {
    let now = time.monotonic
    if let last = lastProgress, now - last < Self.progressInterval, percent != 100 { return }
    lastProgress = now
    var fields = facts
    let percent = percent.map { Int64($0.rounded()) }
    let message = message.map(masked)
    if let percent { fields.append(LogField(.percent, .number(percent))) }
    if let message { fields.append(LogField(.message, .text(message))) }
    observer.observe(
      LogRecord(
        at: time.wall, .info, .progress, fields,
        fact: .progress(run, percent: percent, message: message)))
  }

  func metric(_ name: String, _ value: Double, _ unit: String?) {
    var fields =
      facts + [
        LogField(.metric, .text(masked(name))), LogField(.value, .text(Self.text(value))),
      ]
    if let unit { fields.append(LogField(.unit, .text(masked(unit)))) }
    observer.observe(LogRecord(at: time.wall, .info, .metric, fields))
  }

  func masked(_ text: String) -> String { mask?.masked(text) ?? text }

  /// Removes a reason that contains a hidden value.
  func masked(_ result: PluginResult) -> PluginResult {
    var result = result
    if let reason = result.reason, masked(reason) != reason { result.reason = nil }
    return result
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
  }
}
