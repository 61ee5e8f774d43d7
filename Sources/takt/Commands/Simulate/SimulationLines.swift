import Glibc
import TaktCore
import TaktTime

/// Every verdict of a simulation, a line each.
struct SimulationLines {
  let zone: Zone
  let isJSON: Bool

  func show(_ event: SimulatedEvent) {
    switch event {
    case .verdict(let record, let lateness, _):
      if isJSON {
        Console.print(VerdictAnswer(record, lateness).jsonLine)
      } else {
        Console.print(Self.line(record, lateness, in: zone))
      }
    case .fault(let fault, let at) where !isJSON:
      Console.print("\(at.rfc3339(in: zone))  -- \(fault.kind.words)")
    case .fault, .began, .ended, .retried, .called, .wake: break
    }
  }

  static func line(_ record: VerdictRecord, _ lateness: Duration, in zone: Zone) -> String {
    let slots = record.slots
    var words = ["\(slots.first.rfc3339(in: zone))", record.job.text]
    if slots.count > 1 { words.append("\(slots.count) to \(slots.last.rfc3339(in: zone))") }
    switch record.verdict {
    case .ran:
      words.append("ran")
      let due = record.at - lateness
      // Delayed, or on a clock that differs from the wall clock.
      if due.milliseconds != slots.first.milliseconds {
        words.append("due \(due.rfc3339(in: zone))")
      }
      if lateness.milliseconds > 0 {
        words.append("late \(DurationText.format(.milliseconds(lateness.milliseconds)))")
      }
    case .coalesced(let into): words.append("coalesced into \(into.rfc3339(in: zone))")
    case .skipped, .missed, .cancelled: words.append("\(record.verdict)")
    }
    return words.joined(separator: "  ")
  }
}

private struct VerdictAnswer: Encodable {
  var job: String
  var slot: String
  var slotLast: String
  var count: Int
  var verdict: String
  var reason: String?
  var lateMs: Int64?
  var at: String

  init(_ record: VerdictRecord, _ lateness: Duration) {
    job = record.job.text
    slot = record.slots.first.rfc3339()
    slotLast = record.slots.last.rfc3339()
    count = record.slots.count
    verdict = record.verdict.name
    reason = record.verdict.detail
    lateMs = record.verdict == .ran ? lateness.milliseconds : nil
    at = record.at.rfc3339()
  }
}

/// Shows the progress of a long simulation on a terminal.
struct SimulationProgress {
  private let start: WallInstant
  private let span: Duration
  private let isShown = isatty(STDERR_FILENO) == 1
  private var wakes = 0
  private var shownAt = SystemTimeSource().monotonic
  private var hasShown = false
  private let prefix: String

  /// - Parameters:
  ///   - number: its number among several simulations, from 1.
  ///   - count: their number.
  init(from start: WallInstant, for span: Duration, number: Int = 1, of count: Int = 1) {
    self.start = start
    self.span = span
    prefix = count > 1 ? "\(number) of \(count): " : ""
  }

  /// Reads the clock now and then. Always true: the simulation continues.
  mutating func observe(_ event: SimulatedEvent) -> Bool {
    guard isShown, case .wake(let at, _) = event else { return true }
    wakes &+= 1
    guard wakes % 64 == 0 else { return true }
    let now = SystemTimeSource().monotonic
    guard now - shownAt >= .seconds(1) else { return true }
    shownAt = now
    hasShown = true
    let percent = Int(100 * ((at - start) / span))
    show("\r\(prefix)simulated \(min(100, max(0, percent)))%, \(at.rfc3339())")
    return true
  }

  /// Clears the line.
  func finish() {
    if hasShown { show("\r\u{1b}[K") }
  }

  private func show(_ text: String) {
    text.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  }
}
