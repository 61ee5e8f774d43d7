import FoundationEssentials
package import TaktCore
import TaktTime

/// The transitions of timers and runs in a log of JSON lines, read back in pieces of any size.
package struct LogReplay {
  /// A line that does not belong to such a log.
  package struct NoLog: Error {
    /// From 1.
    package var line: Int
  }

  /// The fields of a line about machines.
  private struct Line: Decodable {
    var ts: String?
    var event: String
    var machine: String?
    var job: String?
    var seq: Int64?
    var from: String?
    var to: String?
    var cause: String?
    var slot: String?
    var due: String?
    var run: Int64?
    var verdict: String?
    var change: String?
    var reason: String?
    var pid: Int64?
    var count: Int?
    var message: String?
  }

  /// No line of a log is longer: a piece of output has 8 KB, and a message is shorter.
  package static let lineBytesMax = 16 << 20

  private var replay = TransitionReplay()
  private var lineNumber = 0
  /// Lines that are no records of takt, as jobs print them with `output: {format: raw}`.
  private var foreignCount = 0
  private var hasRecords = false
  private var lastTime: String?
  private var rest = Data()
  /// Bytes of `rest` that have been searched for the end of a line.
  private var searchedCount = 0
  private let decoder = JSONDecoder()

  package init() {}

  /// Replays the lines that end in these bytes.
  package mutating func feed(_ bytes: ArraySlice<UInt8>) throws(NoLog) {
    rest.append(contentsOf: bytes)
    while let end = rest[(rest.startIndex + searchedCount)...].firstIndex(of: UInt8(ascii: "\n")) {
      lineNumber += 1
      let line = rest[rest.startIndex..<end]
      rest = rest[(end + 1)...]
      searchedCount = 0
      guard Self.isRecord(line) else {
        foreignCount += 1
        continue
      }
      guard let parsed = parse(line) else { throw NoLog(line: lineNumber) }
      add(parsed)
    }
    searchedCount = rest.count
    guard searchedCount <= Self.lineBytesMax else { throw NoLog(line: lineNumber + 1) }
    // Frees the bytes that have been read.
    if rest.startIndex > 0 { rest = Data(rest) }
  }

  /// The replay of all lines. A last line that is cut off, as by a crash, is left out and noted,
  /// and so are lines that are not takt's.
  package mutating func finish() throws(NoLog) -> (replay: TransitionReplay, notes: [String]) {
    var notes: [String] = []
    if Self.isRecord(rest), let last = parse(rest) {
      add(last)
    } else if !rest.isEmpty {
      notes = ["has a last line that is cut off"]
    }
    if foreignCount > 0 {
      guard hasRecords else { throw NoLog(line: 1) }
      notes.append(
        foreignCount == 1
          ? "has a line that is not takt's" : "has \(foreignCount) lines that are not takt's")
    }
    replay.logEnded(at: Self.instant(lastTime))
    return (replay, replay.notes + notes)
  }

  /// The time of a line, which is in UTC with milliseconds.
  private static func instant(_ text: String?) -> WallInstant? {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let text, let date = try? Date(text, strategy: style) else { return nil }
    return WallInstant(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
  }

  private static let recordStart = Data("{\"ts\":".utf8)

  /// True if takt wrote the line, or the end of it: nothing else in a log has these bytes.
  private static func isRecord(_ line: Data) -> Bool {
    line.starts(with: recordStart) || line.firstRange(of: recordStart) != nil
  }

  private func parse(_ data: Data) -> Line? {
    if let line = try? decoder.decode(Line.self, from: data) { return line }
    // A daemon that was killed may have left half a line, and the next one appended to it.
    guard
      let start = data.ranges(of: Self.recordStart).last?.lowerBound,
      start > data.startIndex
    else { return nil }
    return try? decoder.decode(Line.self, from: data[start...])
  }

  private mutating func add(_ line: Line) {
    hasRecords = true
    defer { lastTime = line.ts ?? lastTime }
    if lastTime == nil, let time = Self.instant(line.ts) { replay.lineRead(at: time) }
    // Only the first line of each daemon has the number of its process.
    if line.pid != nil, line.event == LogEvent.scheduler.rawValue {
      replay.processBegan(at: Self.instant(line.ts), after: Self.instant(lastTime))
    }
    if line.event == "scheduler", line.message == SchedulerCore.stoppedMessage {
      replay.processEnded()
    }
    if line.event == "scheduler", let count = line.count, let reason = line.reason,
      LogWriter.droppedTransitions.contains(reason)
    {
      replay.recordsDropped(count)
    }
    if line.event == "scheduler", let count = line.count, line.reason == LogWriter.countReason {
      replay.transitionsCounted(count)
    }
    if line.event == "plan", line.change == "added", let machine = line.machine,
      let time = Self.instant(line.ts)
    {
      replay.timerNamed(machine, at: time)
    }
    if line.event == "slot" { addSlot(line) }
    guard let machine = line.machine, let seq = line.seq, let from = line.from, let to = line.to
    else { return }
    let transition = TransitionReplay.Line(
      machine: machine, sequence: seq, from: from, to: to, cause: line.cause ?? "",
      reason: line.reason, job: line.job)
    switch line.event {
    case "timer": replay.addTimerTransition(transition)
    case "run": replay.addRunTransition(transition, at: Self.instant(line.ts))
    default: break
    }
  }
  private mutating func addSlot(_ line: Line) {
    guard let job = line.job, let time = Self.instant(line.ts),
      let due = Self.instant(line.due ?? line.slot)
    else { return }
    let causes = line.cause?.split(separator: ",").map(String.init) ?? []
    replay.slotDecided(
      TransitionReplay.Slot(
        job: job, causes: causes, due: due,
        run: line.verdict == "ran" ? line.run : nil), at: time)
  }
}
