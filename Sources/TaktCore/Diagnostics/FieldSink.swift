package import TaktTime

/// Takes the fields of a record one by one, in the order in which they are shown.
///
/// Typed records list their fields through it once: a line in JSON, a list of fields and the search
/// for one field are three sinks.
package protocol FieldSink {
  mutating func put(_ key: LogKey, text: String)
  mutating func put(_ key: LogKey, bytes: [UInt8])
  mutating func put(_ key: LogKey, number: Int64)
  mutating func put(_ key: LogKey, milliseconds duration: Duration)
  mutating func put(_ key: LogKey, instant: WallInstant)
  mutating func put(_ key: LogKey, machine: MachineID)
}

extension FieldSink {
  @inlinable package mutating func put(_ field: LogField) {
    switch field.value {
    case .text(let text): put(field.key, text: text)
    case .bytes(let bytes): put(field.key, bytes: bytes)
    case .number(let number): put(field.key, number: number)
    case .milliseconds(let duration): put(field.key, milliseconds: duration)
    case .instant(let instant): put(field.key, instant: instant)
    case .machine(let machine): put(field.key, machine: machine)
    }
  }
}

struct FieldList: FieldSink {
  private(set) var fields: [LogField] = []

  mutating func put(_ key: LogKey, text: String) { add(key, .text(text)) }
  mutating func put(_ key: LogKey, bytes: [UInt8]) { add(key, .bytes(bytes)) }
  mutating func put(_ key: LogKey, number: Int64) { add(key, .number(number)) }
  mutating func put(_ key: LogKey, milliseconds duration: Duration) {
    add(key, .milliseconds(duration))
  }
  mutating func put(_ key: LogKey, instant: WallInstant) { add(key, .instant(instant)) }
  mutating func put(_ key: LogKey, machine: MachineID) { add(key, .machine(machine)) }

  private mutating func add(_ key: LogKey, _ value: LogValue) {
    fields.append(LogField(key, value))
  }
}

/// Finds the first value of one key.
struct FieldSearch: FieldSink {
  let key: LogKey
  private(set) var value: LogValue?

  init(_ key: LogKey) { self.key = key }

  mutating func put(_ key: LogKey, text: String) { if isFirst(key) { value = .text(text) } }
  mutating func put(_ key: LogKey, bytes: [UInt8]) { if isFirst(key) { value = .bytes(bytes) } }
  mutating func put(_ key: LogKey, number: Int64) { if isFirst(key) { value = .number(number) } }
  mutating func put(_ key: LogKey, milliseconds duration: Duration) {
    if isFirst(key) { value = .milliseconds(duration) }
  }
  mutating func put(_ key: LogKey, instant: WallInstant) {
    if isFirst(key) { value = .instant(instant) }
  }
  mutating func put(_ key: LogKey, machine: MachineID) {
    if isFirst(key) { value = .machine(machine) }
  }

  private func isFirst(_ key: LogKey) -> Bool { key == self.key && value == nil }
}
