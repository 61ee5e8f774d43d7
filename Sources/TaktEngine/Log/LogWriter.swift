import Dispatch
import Glibc
import Synchronization
package import TaktCore
import TaktSystem
package import TaktTime
import TimerMachine

/// Writes records to a descriptor from a thread of its own. No caller waits for it: if the reader
/// is slow the queue fills, and records that no longer fit are dropped and counted.
///
/// Safe from any thread.
package final class LogWriter: Observer, OutputSink {
  private let destination: LogDestination
  private let format: LogFormat
  private let renderer: any LogRenderer
  private let level: LogLevel
  private let showsDays: Bool
  private let isColoured: Bool
  private let time: any TimeSource
  private let queue: Mutex<LogQueue>
  /// Writes on its thread. Nil only during `init`.
  private let alarm = Mutex<Alarm?>(nil)
  private let pen: Mutex<Pen>
  private let idle = DispatchSemaphore(value: 0)
  private let isClosing = Atomic<Bool>(false)

  /// The time for which the first record waits for others, so that many are written together.
  private static let gathering = Duration.milliseconds(20)
  /// The size at which records no longer wait.
  private static let gatheredBytesMax = 64 << 10

  /// The values of `reason` for dropped records that may include transitions of machines.
  package static let droppedTransitions: Set<String> = [
    LogQueue.Class.routine.name, LogQueue.Class.vital.name,
  ]

  /// The value of `reason` if `count` is the number of transitions before the line.
  package static let countReason = "transitions"

  /// Starts the thread, which lives as long as the process.
  ///
  /// - Parameters:
  ///   - destination: The destination of lines; a descriptor stays open.
  ///   - level: The minimum level; nil for the default of the format.
  ///   - zone: The zone for times in text; JSON lines are in UTC.
  ///   - showsDays: True for text with a line for each day.
  ///   - limitBytes: The bytes that may wait for a slow reader. Default 6 MiB.
  package init(
    to destination: LogDestination, format: LogFormat, level: LogLevel?, zone: Zone,
    isColoured: Bool,
    time: any TimeSource, showsDays: Bool = true, limitBytes: Int = 6 << 20
  ) {
    self.destination = destination
    self.format = format
    pen = Mutex(Pen(file: destination.file))
    let least = level ?? format.defaultLevel
    self.level = least
    self.showsDays = showsDays
    self.isColoured = isColoured
    self.time = time
    renderer = format.renderer(
      zone: zone, isColoured: isColoured, isDetailed: least == .debug)
    queue = Mutex(LogQueue(limitBytes: limitBytes))
    alarm.withLock { $0 = Alarm(name: "takt-log", nice: 2) { [self] in writeAll() } }
  }

  /// Takes records, or drops them if the queue is full.
  package func observe(_ records: [LogRecord]) {
    let (isFirst, isMuch) = queue.withLock { queue in
      let (wasEmpty, before) = (queue.records.isEmpty, queue.bytes)
      for record in records where renderer.shows(record, at: level) { queue.append(record) }
      let most = Self.gatheredBytesMax
      return (wasEmpty && !queue.records.isEmpty, before < most && queue.bytes >= most)
    }
    if isMuch {
      write(after: .zero)
    } else if isFirst {
      write(after: Self.gathering)
    }
  }

  /// Logs the number of transitions of machines in the log so far. If those of timers are left out,
  /// as above level debug, the number is not needed.
  package func logTransitionCount(_ message: String) {
    let at = time.wall
    queue.withLock { queue in
      let record = LogRecord(
        at: at, .debug, .scheduler,
        [
          LogField(.message, .text("\(message); transitions: \(queue.transitionCount)")),
          LogField(.reason, .text(Self.countReason)),
          LogField(.count, .number(Int64(queue.transitionCount))),
        ])
      if renderer.shows(record, at: level) { queue.append(record) }
    }
    write(after: Self.gathering)
  }

  package func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool {
    renderer.shows(level, routine: isRoutine, at: self.level)
  }

  package var hasRoom: Bool { queue.withLock { $0.hasRoom(for: .output) } }

  package func output(_ fields: [LogField]) {
    observe(LogRecord(at: time.wall, .info, .output, fields))
  }

  /// The other facts would only take room in the queue.
  package func rawLine(_ level: LogLevel, _ fields: [LogField]) {
    let line = fields.filter { $0.key == .line }
    observe(LogRecord(at: time.wall, level, .output, line, fact: .rawLine))
  }

  package func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    observe(LogRecord(at: time.wall, level, event, fields))
  }

  /// Counts lines of output that were dropped before they became records.
  package func drop(lines: Int) {
    guard lines > 0 else { return }
    queue.withLock { $0.drop(lines, .output) }
  }

  /// Waits until everything is written, at most `timeout`, so that a reader that has stopped cannot
  /// keep the process.
  package func close(timeout: Duration) {
    isClosing.store(true, ordering: .sequentiallyConsistent)
    write(after: .zero)
    _ = idle.wait(timeout: .now() + .milliseconds(Int(timeout.milliseconds)))
  }

  /// The state of the descriptor.
  private enum Health {
    var isMidLine: Bool {
      if case .failing(isMidLine: true) = self { true } else { false }
    }

    case good
    /// The last write failed, perhaps within a line; the next is tried all the same.
    case failing(isMidLine: Bool)
    /// The reader is gone for good.
    case closed
  }

  /// The state of the writing thread, the only one that takes its lock.
  private struct Pen {
    /// Nil if the lines go to a descriptor.
    var file: ReopeningFile?
    var health = Health.good
    var bytes: [UInt8] = []
    var day: LogDay?
    /// The reason why the file at the path cannot be opened; nil while it can.
    var trouble: String?
  }

  private func write(after delay: Duration) { alarm.withLock { $0?.set(after: delay) } }

  /// Writes all waiting records. Runs on the alarm's thread.
  private func writeAll() {
    let isClosing = isClosing.load(ordering: .sequentiallyConsistent)
    pen.withLock { pen in
      var isLast = false
      while !isLast {
        var records = queue.withLock { $0.popBatch() }
        isLast = records.isEmpty
        write(&records, &pen)
      }
    }
    if isClosing { idle.signal() }
  }

  /// Takes the records out one by one, so that one that counts as written is not kept in memory.
  private func write(_ records: inout [LogRecord], _ pen: inout Pen) {
    var cost = 0
    records.reverse()
    while let record = records.popLast() {
      render(record, &pen)
      cost += record.costBytes
      if pen.bytes.count >= 65_536 { flush(&pen, &cost) }
    }
    for record in queue.withLock({ $0.popDropped(at: time.wall) })
    where renderer.shows(record, at: level) {
      render(record, &pen)
    }
    flush(&pen, &cost)
  }

  private func render(_ record: LogRecord, _ pen: inout Pen) {
    if case .rawLine? = record.fact {
      switch record[.line] {
      case .bytes(let line)?: return render(raw: line, &pen)
      case .text(let line)?: return render(raw: Array(line.utf8), &pen)
      case _: break
      }
    }
    if showsDays { renderer.renderDay(of: record.at, after: &pen.day, into: &pen.bytes) }
    renderer.render(record, into: &pen.bytes)
  }

  private func render(raw line: [UInt8], _ pen: inout Pen) {
    guard destination.isTerminal else { return RawLine.append(line, format, to: &pen.bytes) }
    var stream = PrintableStream(isColoured: isColoured)
    pen.bytes += stream.add(line + [UInt8(ascii: "\n")])
  }

  /// A full disk may be emptied: lost bytes are counted, and the next lines are tried.
  private func flush(_ pen: inout Pen, _ cost: inout Int) {
    let descriptor = self.descriptor(&pen)
    switch pen.health {
    case .closed: break
    case .good: pen.health = write(pen.bytes, to: descriptor, after: pen.health)
    case .failing(let isMidLine):
      pen.health = write(
        (isMidLine ? [UInt8(ascii: "\n")] : []) + pen.bytes, to: descriptor, after: pen.health)
    }
    queue.withLock { [cost] in $0.written(bytes: cost) }
    pen.bytes.removeAll(keepingCapacity: true)
    cost = 0
  }

  /// The descriptor for the next lines: of the file at the log's path, or of the previous one as
  /// long as that cannot be opened.
  private func descriptor(_ pen: inout Pen) -> Int32 {
    guard pen.file != nil, !pen.bytes.isEmpty else {
      return pen.file?.descriptor ?? destination.number
    }
    switch pen.file?.follow() {
    case .moved?:
      // A new file has no half line.
      pen.health = .good
      if let trouble = pen.trouble {
        let message =
          "The log file could not be opened again (\(trouble)). The lines of that time are in the "
          + "previous file."
        record(.warning, .scheduler, [LogField(.message, .text(message))])
      }
      pen.trouble = nil
    case .failed(let error)?:
      if pen.trouble == nil {
        _ = Self.complain(
          "takt: the log file cannot be opened again (\(error.sentence)); lines go to the previous "
            + "file\n")
      }
      pen.trouble = error.sentence
    case .same?, nil: pen.trouble = nil
    }
    return pen.file?.descriptor ?? destination.number
  }

  private func write(
    _ bytes: [UInt8], to descriptor: Int32, after health: Health
  ) -> Health {
    let (written, number) = bytes.write(to: descriptor)
    guard let number else { return bytes.isEmpty ? health : .good }
    if case .good = health {
      let reason = SystemError.text(number)
      _ = Self.complain("takt: the log cannot be written (\(reason)); jobs keep running\n")
    }
    if number == EPIPE { return .closed }
    let lost = bytes[written...].count { $0 == UInt8(ascii: "\n") }
    queue.withLock { $0.drop(lost, .vital) }
    let isMidLine =
      written == 0 ? health.isMidLine : bytes[written - 1] != UInt8(ascii: "\n")
    return .failing(isMidLine: isMidLine)
  }

  /// Writes one line to standard error, whose reader may have stopped as well.
  private static func complain(_ text: String) -> Int {
    var entry = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return 0 }
    return text.withCString { Glibc.write(2, $0, strlen($0)) }
  }
}
