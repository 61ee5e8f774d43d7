import TaktCore
import TaktTime

/// Writes JSON as it is told: fast enough for ten thousand jobs at a time.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }

  mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

  mutating func array<Item>(
    _ items: some Sequence<Item>, _ body: (inout JSONWriter, Item) -> Void
  ) {
    array { json in for item in items { body(&json, item) } }
  }

  /// The key of a member; its value follows.
  ///
  /// - Parameter name: takt's own, with nothing in it that JSON escapes.
  mutating func key(_ name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8: name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A member whose name users have chosen.
  mutating func member(named name: String, _ text: String) {
    separate()
    JSONText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(text)
  }

  mutating func value(_ text: String) {
    separate()
    JSONText.append(text, to: &bytes)
    needsComma = true
  }

  mutating func value(_ number: some BinaryInteger) {
    separate()
    if let number = Int64(exactly: number) {
      bytes.append(decimal: number)
    } else {
      bytes += String(number).utf8
    }
    needsComma = true
  }

  mutating func value(_ flag: Bool) {
    separate()
    bytes += (flag ? "true" : "false").utf8
    needsComma = true
  }

  /// JSON that is written already.
  mutating func value(raw: [UInt8]) {
    separate()
    bytes += raw
    needsComma = true
  }

  /// A length of time in milliseconds, with three places.
  mutating func value(_ duration: Duration) {
    separate()
    duration.appendMilliseconds(to: &bytes)
    needsComma = true
  }

  /// A member with a text; none for nil.
  mutating func member(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    value(text)
  }

  /// A member with a whole number; none for nil.
  mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
    guard let number else { return }
    key(name)
    value(number)
  }

  /// A member with a length of time; none for nil.
  mutating func member(_ name: String, _ duration: Duration?) {
    guard let duration else { return }
    key(name)
    value(duration)
  }

  /// A member with an instant; none for nil.
  mutating func member(_ name: String, _ instant: WallInstant?) {
    guard let instant else { return }
    key(name)
    JSONText.append(instant, to: &bytes)
    needsComma = true
  }

  /// A member with a fact as the log writes it.
  mutating func member(_ name: String, _ fact: LogValue) {
    key(name)
    fact.appendJSON(to: &bytes)
    needsComma = true
  }

  private mutating func nest(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes.append(UInt8(ascii: open))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }
}
