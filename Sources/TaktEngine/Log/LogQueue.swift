import TaktCore
import TaktTime

/// The bounded queue before the writer. When it is nearly full, output lines are dropped first,
/// then routine records, then the rest; dropped records are counted.
struct LogQueue {
  /// The classes of records, in the order of dropping.
  enum Class: Int, CaseIterable {
    case output, routine, vital

    init(_ record: LogRecord) {
      self =
        record.event == .output
        ? .output : record.isRoutine || record.level == .debug ? .routine : .vital
    }

    /// The share of the queue that the class may fill.
    var share: Double {
      switch self {
      case .output: 0.5
      case .routine: 0.75
      case .vital: 1
      }
    }

    var name: String {
      switch self {
      case .output: "output lines"
      case .routine: "routine records"
      case .vital: "records"
      }
    }
  }

  let limitBytes: Int
  private(set) var records: [LogRecord] = []
  /// The approximate size of the records in the queue and of those being written.
  private(set) var bytes = 0
  /// The number of transitions of machines so far.
  private(set) var transitionCount = 0
  private var dropped = [Int](repeating: 0, count: Class.allCases.count)

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
  }

  func hasRoom(for kind: Class) -> Bool {
    Double(bytes) < Double(limitBytes) * kind.share
  }

  mutating func append(_ record: LogRecord) {
    let kind = Class(record)
    guard hasRoom(for: kind) else {
      dropped[kind.rawValue] += 1
      return
    }
    records.append(record)
    bytes += record.costBytes
    switch record.content {
    case .timer, .run: transitionCount += 1
    case .slot, .fields: break
    }
  }

  mutating func drop(_ count: Int, _ kind: Class) {
    dropped[kind.rawValue] += count
  }

  /// All records, to be written; they count until `written` is called.
  mutating func popBatch() -> [LogRecord] {
    defer { records = [] }
    return records
  }

  mutating func written(bytes count: Int) {
    bytes -= count
  }

  /// The records dropped since the last call, as records.
  mutating func popDropped(at now: WallInstant) -> [LogRecord] {
    defer { dropped = dropped.map { _ in 0 } }
    return Class.allCases.filter { dropped[$0.rawValue] > 0 }.map { kind in
      LogRecord(
        at: now, .warning, .scheduler,
        [
          LogField(
            .message,
            .text(
              "\(dropped[kind.rawValue]) \(kind.name) dropped; the log's reader is too slow, or its disk is full"
            )),
          LogField(.reason, .text(kind.name)),
          LogField(.count, .number(Int64(dropped[kind.rawValue]))),
        ])
    }
  }
}

extension LogRecord {
  /// The approximate size of a record in memory: with its two arrays, and its place in one that
  /// grows.
  var costBytes: Int { 176 + content.heapBytes }
}
