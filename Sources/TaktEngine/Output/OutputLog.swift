import TaktCore
import TaktSystem
import TaktTime

/// Logs the lines of one attempt, as far as its rate and the log's room allow; others are counted,
/// so that the child never waits.
final class OutputLog {
  private let sink: any OutputSink
  private let time: any TimeSource
  private let facts: [LogField]
  /// Made for the first line, which many attempts never print.
  private lazy var streamFacts = [StandardStream.stdout, .stderr].map {
    facts + [LogField(.stream, .text($0.rawValue))]
  }
  private let colours: OutputPolicy.Colours
  private let format: OutputPolicy.Format
  private let rate: LineRate?
  private var budget: LineBudget?

  init(of source: OutputSource, to sink: any OutputSink, time: any TimeSource) {
    self.sink = sink
    self.time = time
    colours = source.policy.colours
    format = source.policy.format
    rate = source.policy.rate
    budget = rate.map { LineBudget($0) }
    facts = source.facts
  }

  func receive(
    _ bytes: UnsafeRawBufferPointer, _ lines: inout LineSplitter, _ stream: StandardStream?,
    _ level: LogLevel = .info
  ) {
    guard let now = logRefused() else {
      sink.drop(lines: lines.feed(bytes) { emit($0, stream, level) })
      return
    }
    var isOverRate = false
    let skipped = lines.feed(bytes) { line in
      isOverRate = budget?.spend(at: now) == false
      return !isOverRate && emit(line, stream, level)
    }
    count(skipped, isOverRate, now)
  }

  func finish(_ lines: inout LineSplitter, _ stream: StandardStream) {
    let now = logRefused()
    var isOverRate = false
    let skipped = lines.finish { line in
      isOverRate = now.map { budget?.spend(at: $0) == false } ?? false
      return !isOverRate && emit(line, stream)
    }
    count(skipped, isOverRate, now)
  }

  /// Logs the kept output of a failed attempt, both streams together.
  func show(_ kept: KeptOutput) {
    if kept.droppedBytes == 0 { return showLines(kept.head + kept.tail) }
    showLines(kept.head)
    sink.record(
      .warning, .output,
      facts + [
        LogField(.dropped, .number(Int64(kept.droppedBytes))),
        LogField(.message, .text("\(kept.droppedBytes) bytes of output were not kept")),
      ])
    showLines(kept.tail)
  }

  func logMessage(_ level: LogLevel, _ message: String) {
    sink.record(level, .plugin, facts + [LogField(.message, .text(message))])
  }

  func warn(_ message: String) {
    sink.record(.warning, .output, facts + [LogField(.message, .text(message))])
  }

  /// Logs a record about leftover processes of the command that live on.
  func released(_ left: [Descendant]) {
    let names = left.prefix(10).map { "\($0)" }.joined(separator: ", ")
    let list = left.count > 10 ? names + ", …" : names
    sink.record(
      .notice, .output,
      facts + [
        LogField(
          .message,
          .text(
            "The command exited and left \(left.count) "
              + (left.count == 1 ? "process" : "processes") + " running (\(list)); released, "
              + "because of 'kill: {leftovers: leave}'.")),
        LogField(.count, .number(Int64(left.count))),
      ])
  }

  func close() {
    if let refused = budget?.popRefused() { logRefusedCount(refused) }
  }

  private func showLines(_ bytes: [UInt8]) {
    var lines = LineSplitter(for: format)
    let emit = { (line: UnsafeRawBufferPointer) in self.emit(line, nil) }
    sink.drop(lines: bytes.withUnsafeBytes { lines.feed($0, emit) } + lines.finish(emit))
  }

  private func emit(
    _ line: UnsafeRawBufferPointer, _ stream: StandardStream?, _ level: LogLevel = .info
  ) -> Bool {
    guard sink.hasRoom else { return false }
    let line = LogField(.line, .bytes(format == .raw ? raw(line) : shown(line)))
    let facts = self.facts(of: stream) + [line]
    if format == .raw {
      sink.rawLine(level, facts)
    } else if level == .info {
      sink.output(facts)
    } else {
      sink.record(level, .output, facts)
    }
    return true
  }

  private func facts(of stream: StandardStream?) -> [LogField] {
    switch stream {
    case .stdout: streamFacts[0]
    case .stderr: streamFacts[1]
    case .both, nil: facts
    }
  }

  private func raw(_ line: UnsafeRawBufferPointer) -> [UInt8] {
    let bytes = Array(line)
    return colours == .keep ? bytes : bytes.withoutTerminalSequences
  }

  /// The line as people see it.
  private func shown(_ line: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes = Array(line)
    if [13, 8, 0x1B, 0xC2].contains(where: { line.firstIndex(ofByte: $0) != nil }) {
      bytes = TerminalLine.lastState(of: bytes)
    }
    return colours == .keep ? bytes : bytes.withoutTerminalSequences
  }

  private func count(_ skipped: Int, _ isOverRate: Bool, _ now: MonotonicInstant?) {
    guard skipped > 0 else { return }
    if isOverRate, let now { budget?.refuse(skipped, at: now) } else { sink.drop(lines: skipped) }
  }

  /// The time, if there is a rate; logs the lines beyond it once in a period.
  private func logRefused() -> MonotonicInstant? {
    guard rate != nil else { return nil }
    let now = time.monotonic
    if let refused = budget?.popRefused(at: now) { logRefusedCount(refused) }
    return now
  }

  private func logRefusedCount(_ refused: Int) {
    sink.record(
      .warning, .output,
      facts + [
        LogField(.dropped, .number(Int64(refused))),
        LogField(.message, .text("\(refused) lines of output not logged; they exceed output.rate")),
      ])
  }
}
