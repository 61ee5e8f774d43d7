import TaktTime

extension LogRecord {
  /// Appends the record as one JSON object: `ts`, `level`, `event`, then the facts by the names of
  /// `LogKey`.
  ///
  /// - Parameter number: stands first, as `id`; nil for a record without one.
  package func appendJSON(to bytes: inout [UInt8], number: UInt64? = nil) {
    bytes.append(UInt8(ascii: "{"))
    if let number {
      bytes.append(utf8: #""id":"#)
      bytes.append(decimal: number)
      bytes.append(UInt8(ascii: ","))
    }
    bytes.append(utf8: #""ts":""#)
    at.appendRFC3339(to: &bytes)
    bytes.append(utf8: #"","level":""#)
    bytes.append(utf8: level.rawValue)
    bytes.append(utf8: #"","event":""#)
    bytes.append(utf8: event.rawValue)
    bytes.append(UInt8(ascii: "\""))
    var fields = JSONFields()
    // Swapped, so that the bytes have one holder at any time and are never copied: the gate's `log`.
    swap(&fields.bytes, &bytes)
    content.put(into: &fields)
    swap(&fields.bytes, &bytes)
    bytes.append(UInt8(ascii: "}"))
  }
}

/// Appends fields to the bytes of a JSON object that has a member already.
private struct JSONFields: FieldSink {
  var bytes: [UInt8] = []

  mutating func put(_ key: LogKey, text: String) {
    name(key)
    JSONText.append(text, to: &bytes)
  }

  mutating func put(_ key: LogKey, bytes raw: [UInt8]) {
    name(key)
    JSONText.append(raw, to: &bytes)
  }

  mutating func put(_ key: LogKey, number: Int64) {
    name(key)
    bytes.append(decimal: number)
  }

  mutating func put(_ key: LogKey, milliseconds duration: Duration) {
    name(key)
    duration.appendMilliseconds(to: &bytes)
  }

  mutating func put(_ key: LogKey, instant: WallInstant) {
    name(key)
    JSONText.append(instant, to: &bytes)
  }

  mutating func put(_ key: LogKey, machine: MachineID) {
    name(key)
    JSONText.append(machine, to: &bytes)
  }

  private mutating func name(_ key: LogKey) {
    bytes.append(UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8: key.rawValue)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }
}

extension Duration {
  /// Appends milliseconds with three places: `0.104`.
  package func appendMilliseconds(to bytes: inout [UInt8]) {
    let microseconds = nanosecondsSaturated / 1000
    if microseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(decimal: abs(microseconds) / 1000)
    bytes.append(UInt8(ascii: "."))
    bytes.append(Int(abs(microseconds) % 1000), padded: 3)
  }
}

extension MachineID {
  package func appendName(to bytes: inout [UInt8]) {
    switch self {
    case .timer(.job(let name)):
      bytes.append(utf8: "timer:")
      bytes.append(utf8: name.text)
    case .timer(.pause(let name)):
      bytes.append(utf8: "pause-timer:")
      bytes.append(utf8: name.text)
    case .timer(.freshness(let name)):
      bytes.append(utf8: "freshness-timer:")
      bytes.append(utf8: name.text)
    case .timer(.run(let run)): Self.append("run-timer:", run, to: &bytes)
    case .timer(.expected(let run)): Self.append("expected-timer:", run, to: &bytes)
    case .timer(.other(let name)): bytes.append(utf8: name)
    case .timer(.cluster): bytes.append(utf8: "cluster-timer")
    case .timer(.shutdown): bytes.append(utf8: "shutdown-timer")
    case .run(let run): Self.append("run:", run, to: &bytes)
    }
  }

  private static func append(_ kind: String, _ run: RunID, to bytes: inout [UInt8]) {
    bytes.append(utf8: kind)
    bytes.append(decimal: run.number)
  }
}

extension JSONText {
  /// A job's name, the one part that users choose, has no character that JSON escapes.
  static func append(_ machine: MachineID, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    machine.appendName(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
