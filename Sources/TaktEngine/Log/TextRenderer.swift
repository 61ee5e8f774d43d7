import TaktCore
import TaktTime

/// Aligned lines for people: the time of day, the job, what happened.
///
/// ```
/// 10:04:05.001  backup        slot     10:04:05.000 ran, late 0.4 ms (every)
/// 10:04:07.318  backup        run 12   running → ended: succeeded, exit(0)
/// ```
struct TextRenderer: LogRenderer {
  let zone: Zone
  let isColoured: Bool

  private static let jobWidth = 16
  private static let eventWidth = 9

  func shows(_ record: LogRecord, at level: LogLevel) -> Bool {
    (record.isRoutine ? .debug : record.level) >= level
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    let time = zone.civilTime(at: record.at).timeOfDay
    let job = text(record[.job]) ?? text(record[.plugin]) ?? "-"
    var event = record.event.rawValue
    if record.event == .run || record.event == .output, let run = text(record[.run]) {
      let isError = text(record[.stream]) == "stderr"
      event = (record.event == .run ? "run" : isError ? "err" : "out") + " \(run)"
    }
    var line = paint(time, .dim) + "  " + paint(pad(job, Self.jobWidth), .bold) + "  "
    line += paint(pad(event, Self.eventWidth), .dim) + "  "
    if record.level >= .warning {
      line += paint(record.level.rawValue + ": ", Colour(record.level))
    }
    line += sentence(record)
    bytes += line.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  private func sentence(_ record: LogRecord) -> String {
    switch record.event {
    case .timer: timer(record)
    case .slot: slot(record)
    case .run: run(record)
    case .output: record[.line].map(printable) ?? message(record)
    case .plan: plan(record)
    case .progress:
      [text(record[.percent]).map { "\($0) %" }, text(record[.message])].compactMap(\.self)
        .joined(separator: ", ")
    case .metric:
      "\(text(record[.metric]) ?? "") = \(text(record[.value]) ?? "")"
        + (text(record[.unit]).map { " \($0)" } ?? "")
    case .reload, .scheduler, .ledger, .plugin: message(record)
    }
  }

  private func timer(_ record: LogRecord) -> String {
    var line = (text(record[.machine]) ?? "") + " " + move(record)
    if let cause = text(record[.cause]) { line += " (\(cause))" }
    if let reason = text(record[.reason]) { line += " \(reason)" }
    return line
  }

  private func slot(_ record: LogRecord) -> String {
    var line = text(.slot, of: record) ?? ""
    if let last = text(.slotLast, of: record), let count = text(record[.count]) {
      line += " … \(last) (\(count) slots)"
    }
    line += " " + paint(text(record[.verdict]) ?? "", Colour(record.level))
    if let reason = text(record[.reason]) { line += "(\(reason))" }
    if let late = text(record[.lateMilliseconds]) { line += ", late \(late) ms" }
    if let cause = text(record[.cause]) { line += paint(" (\(cause))", .dim) }
    return line
  }

  private func run(_ record: LogRecord) -> String {
    var line = ""
    if let hook = text(record[.hook]), let parent = text(record[.parent]) {
      line += paint("\(hook) of run \(parent): ", .dim)
    }
    guard record[.to] != nil else { return line + (text(record[.message]) ?? "") }
    line += move(record)
    if let step = text(record[.step]) { line += ", step \(step)" }
    if let outcome = text(record[.outcome]), let reason = text(record[.reason]) {
      line += ": " + paint(outcome, outcome == "succeeded" ? .green : Colour(record.level))
      line += ", \(reason)"
      if let delay = text(record[.retryMilliseconds]) { line += ", next attempt in \(delay) ms" }
      if let duration = text(record[.durationMilliseconds]) { line += ", took \(duration) ms" }
      if let advice = text(record[.message]) { line += "; \(advice)" }
    } else if let cause = text(record[.cause]) {
      line += " (\(cause))"
      if let left = text(record[.descendants]) { line += ": \(left)" }
    }
    return line
  }

  private func plan(_ record: LogRecord) -> String {
    var line = text(record[.change]) ?? ""
    if let count = text(record[.count]) { line += " \(count)" }
    if let key = text(record[.cause]) { line += " \(key)" }
    if record[.from] != nil || record[.to] != nil {
      line += ": \(text(record[.from]) ?? "none") → \(text(record[.to]) ?? "none")"
    }
    return line
  }

  private func message(_ record: LogRecord) -> String {
    var line = text(record[.message]) ?? ""
    if let cause = text(record[.cause]) { line += " (\(cause))" }
    if let slot = text(.slot, of: record) { line += ", next slot \(slot)" }
    return line
  }

  private func move(_ record: LogRecord) -> String {
    "\(text(record[.from]) ?? "") → \(text(record[.to]) ?? "")"
  }

  private func text(_ value: LogValue?) -> String? {
    switch value {
    case nil: nil
    case .text(let text): text
    case .bytes: printable(value)
    case .number(let number): String(number)
    case .milliseconds(let duration): duration.millisecondsText
    case .instant(let instant): instant.rfc3339(in: zone)
    case .machine(let machine): machine.description
    }
  }

  /// The time of day alone where the day is the record's own.
  private func text(_ key: LogKey, of record: LogRecord) -> String? {
    guard case .instant(let instant) = record[key] else { return nil }
    let civil = zone.civilTime(at: instant)
    let today = zone.civilTime(at: record.at)
    let isToday = (civil.year, civil.month, civil.day) == (today.year, today.month, today.day)
    return isToday ? civil.timeOfDay : civil.description
  }

  /// What a run printed, without what would steer the terminal.
  private func printable(_ value: LogValue?) -> String {
    switch value {
    case .bytes(let bytes):
      String(
        String.UnicodeScalarView(
          String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
            $0 != "\t" && Self.steers($0) ? "\u{fffd}" : $0
          }))
    case .text(let text): printable(.bytes(Array(text.utf8)))
    default: ""
    }
  }

  /// Control characters, and those that turn the direction of writing.
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<32, 127..<160, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
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

  private func paint(_ text: String, _ colour: Colour) -> String {
    isColoured && colour != .none ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
  }
}
