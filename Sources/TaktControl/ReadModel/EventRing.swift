import DequeModule
import TaktCore

/// The last records of the log, numbered. When there are too many, the oldest is dropped.
struct EventRing {
  static let recordsMax = 16_384
  /// The approximate bound on their memory, with the JSON of those that were read.
  static let bytesMax = 8 << 20

  struct Event {
    let record: LogRecord
    let number: UInt64
    /// The job that it is about; nil for none.
    var job: String? { record[.job].flatMap { if case .text(let name) = $0 { name } else { nil } } }
  }

  private var events: Deque<(event: Event, json: [UInt8]?)> = []
  private var bytes = 0
  /// The number of the newest; 0 before the first.
  private(set) var last: UInt64 = 0

  /// The number of the oldest that remains; one more than the newest if there is none.
  var first: UInt64 { events.first?.event.number ?? last + 1 }

  mutating func append(_ record: LogRecord) {
    last += 1
    events.append((Event(record: record, number: last), nil))
    bytes += Self.cost(of: record)
    dropOldest()
  }

  private mutating func dropOldest() {
    while events.count > Self.recordsMax || bytes > Self.bytesMax, events.count > 1 {
      let (event, json) = events.removeFirst()
      bytes -= Self.cost(of: event.record) + (json?.capacity ?? 0)
    }
  }

  /// At most `count` events after a number that `isWanted` accepts, as JSON; and the last number
  /// that was examined. Each is encoded once, however many read it.
  mutating func read(
    after number: UInt64, count: Int, where isWanted: (Event) -> Bool
  ) -> (lines: [(event: Event, json: [UInt8])], upTo: UInt64) {
    var lines: [(event: Event, json: [UInt8])] = []
    var upTo = max(number, first - 1)
    while upTo < last, lines.count < count {
      let index = Int(upTo + 1 - first)
      let event = events[index].event
      upTo += 1
      guard isWanted(event) else { continue }
      if events[index].json == nil {
        var json: [UInt8] = []
        json.reserveCapacity(Self.jsonBytes)
        event.record.appendJSON(to: &json, number: event.number)
        events[index].json = json
        bytes += json.capacity
      }
      lines.append((event, events[index].json ?? []))
    }
    dropOldest()
    return (lines, upTo)
  }

  /// Most records need no more.
  private static let jsonBytes = 320

  /// At most `count` of the last matching records, oldest first.
  func newest(_ count: Int, where isWanted: (LogRecord) -> Bool) -> [Event] {
    var found: [Event] = []
    for (event, _) in events.reversed() where found.count < count && isWanted(event.record) {
      found.append(event)
    }
    return found.reversed()
  }

  private static func cost(of record: LogRecord) -> Int { 320 + record.content.heapBytes }
}
