import TaktCore
import TaktTime

/// The messages of a quick built-in in one attempt. Nearly always that is one short line of a job
/// without output settings: their path is kept as short as possible.
struct QuickOutput {
  private var lines: [(level: LogLevel, line: String)] = []
  private var bytes = 0
  private var isPlain: Bool

  init(of policy: OutputPolicy) {
    isPlain = policy == OutputPolicy(keepBytes: policy.keepBytes)
  }

  mutating func append(_ level: LogLevel, _ line: String) {
    let count = line.utf8.count
    bytes += count + 1
    if count > LineSplitter.lineBytesMax || line.utf8.contains(10) { isPlain = false }
    lines.append((level, line))
  }

  /// The lines; a text with line ends in it makes several.
  var pieces: [(level: LogLevel, line: String)] {
    lines.flatMap { level, text in
      let text = text.utf8.last == 10 ? text.utf8.dropLast() : text.utf8[...]
      return text.split(separator: 10, omittingEmptySubsequences: false).map {
        (level, String(decoding: $0, as: UTF8.self))
      }
    }
  }

  /// Adds the lines to `records` and returns the facts of the output; nil, with nothing added, if
  /// the job's output policy has to be applied.
  func plainFacts(
    of request: AttemptRequest, at instant: WallInstant, _ records: inout [LogRecord]
  ) -> OutputFacts? {
    guard isPlain, bytes <= request.spec.execution.output.keepBytes else { return nil }
    let facts = request.outputFacts
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes)
    for (level, line) in lines {
      records.append(
        LogRecord(at: instant, level, .output, facts + [LogField(.line, .text(line))]))
      kept += line.utf8
      kept.append(10)
    }
    return OutputFacts(stdoutBytes: bytes, kept: KeptOutput(head: kept))
  }
}
