import TaktCore
import TaktTime

/// Aligned lines for people: the time of day, the job, the event.
///
/// ```
/// 10:04:05.001  backup        run 12   started for slot 10:04:05.000, late 412 µs (every)
/// 10:04:07.318  backup        run 12   succeeded, exit(0), took 2.3 s
/// ```
///
/// A run has a line at its start and one at its end; in detail, as at level debug, one for each
/// transition and each verdict.
struct TextRenderer: LogRenderer {
  let zone: Zone
  let isColoured: Bool
  var isDetailed = false

  func shows(_ level: LogLevel, routine isRoutine: Bool, at least: LogLevel) -> Bool {
    (isRoutine ? .debug : level) >= least
  }

  func shows(_ record: LogRecord, at least: LogLevel) -> Bool {
    guard shows(record.level, routine: record.isRoutine, at: least) else { return false }
    if !isDetailed, case .run(let move) = record.content { return move.hasLine }
    return true
  }

  func renderDay(of instant: WallInstant, after last: inout LogDay?, into bytes: inout [UInt8]) {
    let time = zone.civilTime(at: instant)
    let day = LogDay(year: time.year, month: time.month, day: time.day)
    guard day != last else { return }
    last = day
    bytes.append(utf8: "-- ")
    bytes.append(utf8: String(time.weekdayName.prefix(3)))
    bytes.append(UInt8(ascii: " "))
    time.appendDate(to: &bytes)
    bytes.append(utf8: " --\n")
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    var line = TextLine(
      record: record, zone: zone, isColoured: isColoured, isDetailed: isDetailed)
    // Swapped, so that the bytes always have one holder and are never copied, for the performance
    // gate's `log`.
    swap(&line.bytes, &bytes)
    line.write()
    swap(&line.bytes, &bytes)
  }
}

extension RunMoveRecord {
  /// True for a move that the line of a run's start or end does not include.
  fileprivate var hasLine: Bool {
    switch to {
    case .stopping, .killing, .backingOff, .ended: true
    case .queued: false
    // A slot's verdict is the start of its run; that of a hook is shown at its end.
    case .running: stepFailure != nil || cause == .start && head.kind.startsAlone && attempt == 1
    }
  }
}

extension RunHead.Kind {
  /// True if no other line shows that such a run has started.
  fileprivate var startsAlone: Bool {
    switch self {
    case .manual, .resumed, .backfill: true
    case .slot, .hook: false
    }
  }
}

private struct TextLine {
  private static let jobWidth = 16
  private static let eventWidth = 9

  var bytes: [UInt8] = []
  let record: LogRecord
  let zone: Zone
  let isColoured: Bool
  let isDetailed: Bool

  mutating func write() {
    paint(.dim) { $0.zone.civilTime(at: $0.record.at).appendTimeOfDay(to: &$0.bytes) }
    add("  ")
    paint(.bold) { line in
      line.pad(Self.jobWidth) { if !$0.add(.job), !$0.add(.plugin) { $0.add("-") } }
    }
    add("  ")
    paint(.dim) { line in line.pad(Self.eventWidth) { $0.event() } }
    add("  ")
    if record.level >= .warning {
      paint(Colour(record.level)) { line in
        line.add(line.record.level.rawValue)
        line.add(": ")
      }
    }
    sentence()
    add("\n")
  }

  /// The run that starts with this slot.
  private var startedRun: RunID? {
    guard !isDetailed, case .slot(let slot) = record.content, slot.record.verdict == .ran else {
      return nil
    }
    return slot.record.run
  }

  private mutating func event() {
    if let run = startedRun {
      add("run ")
      return bytes.append(decimal: run.number)
    }
    guard record.event == .run || record.event == .output, let run = record[.run] else {
      return add(record.event.rawValue)
    }
    if record.event == .run {
      add("run ")
    } else {
      add(record[.stream] == .text("stderr") ? "err " : "out ")
    }
    add(run)
  }

  private mutating func sentence() {
    switch record.event {
    case .timer: timer()
    case .slot: slot()
    case .run: run()
    case .output: if let line = record[.line] { addPrintable(line) } else { message() }
    case .plan: plan()
    case .progress: progress()
    case .metric: metric()
    case .reload, .scheduler, .ledger, .plugin: message()
    }
  }

  private mutating func timer() {
    add(.machine)
    add(" ")
    move()
    add(.cause, before: " (", after: ")")
    add(.reason, before: " ")
    addTime(.due, before: ", due ")
  }

  private mutating func slot() {
    if startedRun != nil {
      add("started for slot ")
      addTime(.slot)
      addDuration(.lateMilliseconds, before: ", late ")
      return paint(.dim) { $0.add(.cause, before: " (", after: ")") }
    }
    addTime(.slot)
    if record[.count] != nil, record[.slotLast] != nil {
      addTime(.slotLast, before: " … ")
      add(.count, before: " (", after: " slots)")
    }
    add(" ")
    paint(Colour(record.level)) { $0.add(.verdict) }
    add(.reason, before: "(", after: ")")
    addDuration(.lateMilliseconds, before: ", late ")
    if record[.cause] != nil {
      paint(.dim) { $0.add(.cause, before: " (", after: ")") }
    }
  }

  private mutating func run() {
    if record[.hook] != nil, record[.parent] != nil {
      paint(.dim) { line in
        line.add(.hook)
        line.add(.parent, before: " of run ", after: ": ")
      }
    }
    guard record[.to] != nil else {
      add(.message)
      return
    }
    if !isDetailed, case .run(let move) = record.content, runInShort(move) { return }
    move()
    add(.step, before: ", step ")
    if let outcome = record[.outcome], record[.reason] != nil {
      end(outcome)
    } else if record[.cause] != nil {
      add(.cause, before: " (", after: ")")
      add(.descendants, before: ": ")
    }
  }

  /// Writes a move of a run without its states; false if the states are all there is to write.
  private mutating func runInShort(_ move: RunMoveRecord) -> Bool {
    switch move.to {
    case .running where move.stepFailure != nil:
      add(.step, before: "step ", after: " starts; the one before ")
      paint(Colour(record.level)) { $0.add(.outcome) }
      addReason()
      if record.level < .warning { add(", which is ignored") }
    case .running:
      switch move.head.kind {
      case .manual: add("started by hand")
      case .backfill: add("started for a slot of the past")
      case .slot, .hook, .resumed: add("started again")
      }
    case .backingOff, .ended:
      guard let outcome = record[.outcome] else { return false }
      if record[.step] != nil { add(.step, before: "step ", after: ": ") }
      endInShort(outcome)
    case .queued, .stopping, .killing: return false
    }
    return true
  }

  private mutating func end(_ outcome: LogValue) {
    add(": ")
    endInShort(outcome)
  }

  private mutating func endInShort(_ outcome: LogValue) {
    paint(outcome == .text("succeeded") ? .green : Colour(record.level)) { $0.add(outcome) }
    addReason()
    addDuration(.retryMilliseconds, before: ", next attempt in ")
    addDuration(.durationMilliseconds, before: ", took ")
    addDuration(.cpuMilliseconds, before: ", CPU ")
    if case .number(let bytes) = record[.memoryPeak] { add(", \(SizeText.brief(bytes))") }
    add(.message, before: "; ")
  }

  /// Adds the reason for a run's end, unless the outcome has it.
  private mutating func addReason() {
    if case .text(let outcome) = record[.outcome], case .text(let reason) = record[.reason],
      RunEnd.says(outcome, reason)
    {
      return
    }
    add(.reason, before: ", ")
  }

  private mutating func progress() {
    let hasPercent = add(.percent, after: " %")
    add(.message, before: hasPercent ? ", " : "")
  }

  private mutating func metric() {
    add(.metric)
    add(" = ")
    add(.value)
    add(.unit, before: " ")
  }

  private mutating func plan() {
    add(.change)
    add(.count, before: " ")
    add(.cause, before: " ")
    if record[.from] != nil || record[.to] != nil {
      add(": ")
      if !add(.from) { add("none") }
      add(" → ")
      if !add(.to) { add("none") }
    }
  }

  private mutating func message() {
    add(.message)
    add(.cause, before: " (", after: ")")
    addTime(.slot, before: ", next slot ")
  }

  private mutating func move() {
    add(.from)
    add(" → ")
    add(.to)
  }
}

extension TextLine {
  private mutating func add(_ text: String) { bytes.append(utf8: text) }

  /// Adds the field between two texts; nothing, and false, if the record does not have it.
  @discardableResult
  private mutating func add(_ key: LogKey, before: String = "", after: String = "") -> Bool {
    guard let value = record[key] else { return false }
    add(before)
    if case .text(let text) = value, isWord(key) { add(text) } else { add(value) }
    add(after)
    return true
  }

  /// True for takt's own text: a name within its limits, or one of the words for a state, a cause
  /// or an outcome.
  private func isWord(_ key: LogKey) -> Bool {
    if case .fields = record.content { return key == .job || key == .stream }
    return key != .reason && key != .message
  }

  private mutating func add(_ value: LogValue) {
    switch value {
    case .text, .bytes: addPrintable(value)
    case .number(let number): bytes.append(decimal: number)
    case .milliseconds(let duration): duration.appendMilliseconds(to: &bytes)
    case .instant(let instant): add(instant.rfc3339(in: zone))
    case .machine(let machine): machine.appendName(to: &bytes)
    }
  }

  private mutating func addDuration(_ key: LogKey, before: String) {
    guard case .milliseconds(let duration) = record[key] else { return }
    add(before)
    DurationText.appendBrief(duration, to: &bytes)
  }

  /// Adds only the time of day if the day is the record's own.
  private mutating func addTime(_ key: LogKey, before: String = "") {
    guard case .instant(let instant) = record[key] else { return }
    add(before)
    let civil = zone.civilTime(at: instant)
    let today = zone.civilTime(at: record.at)
    if (civil.year, civil.month, civil.day) != (today.year, today.month, today.day) {
      civil.appendDate(to: &bytes)
      add("T")
    }
    civil.appendTimeOfDay(to: &bytes)
  }

  /// Adds output of a run, without characters that control the terminal.
  private mutating func addPrintable(_ value: LogValue) {
    switch value {
    case .bytes(let raw) where raw.allSatisfy(Self.isPlain): bytes += raw
    case .bytes(let raw): addShown(String(decoding: raw, as: UTF8.self))
    case .text(let text) where text.utf8.allSatisfy(Self.isPlain): add(text)
    case .text(let text): addShown(text)
    case .number, .milliseconds, .instant, .machine: break
    }
  }

  /// Adds a text on this line; a run's output may have tabs.
  private mutating func addShown(_ text: String) {
    guard text.unicodeScalars.contains(where: { $0.steersTerminal && $0 != "\t" }) else {
      return add(text)
    }
    add(
      text.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }
        .joined(separator: "\t"))
  }

  /// True for ASCII that a terminal shows.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 32 && byte < 127 || byte == UInt8(ascii: "\t")
  }

  /// Adds spaces after the output of `part`, up to a width in characters.
  private mutating func pad(_ width: Int, _ part: (inout TextLine) -> Void) {
    let start = bytes.count
    part(&self)
    for _ in 0..<max(0, width - characters(from: start)) { add(" ") }
  }

  /// The number of characters from a byte on.
  private func characters(from start: Int) -> Int {
    let part = bytes[start...]
    return part.allSatisfy(Self.isPlain) ? part.count : String(decoding: part, as: UTF8.self).count
  }

  private mutating func paint(_ colour: Colour, _ part: (inout TextLine) -> Void) {
    guard isColoured, colour != .none else { return part(&self) }
    add("\u{1b}[")
    add(colour.rawValue)
    add("m")
    part(&self)
    add("\u{1b}[0m")
  }
}

private enum Colour: String {
  case none = ""
  case dim = "2"
  case bold = "1"
  case green = "32"
  case yellow = "33"
  case red = "31"

  init(_ level: LogLevel) {
    switch level {
    case .debug, .info: self = .none
    case .notice, .warning: self = .yellow
    case .error: self = .red
    }
  }
}
