import FoundationEssentials
import TaktCore
import TaktTime

/// The facts of a hook about its run, as in JSON: in the body of `http` and for plugins.
struct HookFacts: Encodable {
  /// The part of the output's end that is included.
  static let outputBytesMax = 4096

  var hook: String
  var outcome: String?
  var reason: String?
  var attempts: Int
  var duration_ms: Int64
  var late_ms: Int64
  var streak: Int
  var cpu_ms: Int64?
  var memory_peak: Int64?
  var output: String

  init(_ facts: RunFacts) {
    hook = facts.hook.rawValue
    outcome = facts.end?.outcome.rawValue
    reason = facts.end.map { "\($0.reason)" }
    attempts = facts.attempts
    duration_ms = facts.duration.milliseconds
    late_ms = facts.lateness.milliseconds
    streak = facts.failureStreak
    cpu_ms = facts.use?.cpu.milliseconds
    memory_peak = facts.use?.memoryPeakBytes
    output = facts.output.endText(bytesMax: Self.outputBytesMax)
  }
}

/// The report of a hook about its run to the outside.
struct RunReport: Encodable {
  let job: String
  /// Nil for a hook that is for no run.
  let run: UInt64?
  let slot: String
  let facts: HookFacts

  init(_ facts: RunFacts, of request: AttemptRequest) {
    job = request.spec.name.text
    run = facts.ofRun?.number
    slot = request.slot.rfc3339()
    self.facts = HookFacts(facts)
  }

  private enum Key: String, CodingKey {
    case job, run, slot
  }

  func encode(to encoder: any Encoder) throws {
    // Both write into one object.
    try facts.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(job, forKey: .job)
    try container.encodeIfPresent(run, forKey: .run)
    try container.encode(slot, forKey: .slot)
  }

  /// As JSON, with sorted keys.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only numbers and texts, which always can be encoded.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("{}".utf8)
  }
}

extension KeptOutput {
  /// The output within a limit, as people see it: the start and the end, and between them the size
  /// of the missing part.
  func bytes(max bytesMax: Int, _ colours: OutputPolicy.Colours) -> [UInt8] {
    // A progress bar may be many times as long as its final text.
    let rough = cut(to: 4 * bytesMax)
    func shown(_ bytes: [UInt8]) -> [UInt8] {
      let lines = bytes.linesForPeople
      return colours == .keep ? lines : lines.withoutTerminalSequences
    }
    let whole =
      rough.droppedBytes == 0
      ? KeptOutput(head: shown(rough.head + rough.tail))
      : KeptOutput(
        head: shown(rough.head), tail: shown(rough.tail), droppedBytes: rough.droppedBytes)
    let result = whole.cut(to: bytesMax)
    if result.droppedBytes == 0 { return result.head + result.tail }
    return result.head + Self.gap(result.droppedBytes) + result.tail
  }

  /// At most this many bytes, half of them from the start.
  private func cut(to bytesMax: Int) -> KeptOutput {
    let excess = head.count + tail.count - bytesMax
    guard excess > 0 else { return self }
    let all = head + tail
    let half = bytesMax / 2
    let (first, last) =
      droppedBytes == 0
      ? (all.prefix(half), all.suffix(half)) : (head.prefix(half), tail.suffix(half))
    return KeptOutput(
      cutTo: Array(first), Array(last),
      droppedBytes: droppedBytes + all.count - first.count - last.count, marks: [])
  }

  private static func gap(_ count: Int) -> [UInt8] {
    Array("\n[\(count) bytes are missing here]\n".utf8)
  }
}
