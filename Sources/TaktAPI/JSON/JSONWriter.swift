import TaktCore
package import TaktTime

/// Writes JSON piece by piece: fast enough for ten thousand jobs at a time.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  package init() {}

  package mutating func object(_ body: (inout JSONWriter) -> Void) { nest("{", "}", body) }

  package mutating func array(_ body: (inout JSONWriter) -> Void) { nest("[", "]", body) }

  package mutating func array<Item>(
    _ items: some Sequence<Item>, _ body: (inout JSONWriter, Item) -> Void
  ) {
    array { json in for item in items { body(&json, item) } }
  }

  /// The key of a member; its value follows.
  ///
  /// - Parameter name: takt's own, with nothing in it that JSON escapes.
  package mutating func key(_ name: String) {
    let comma = needsComma ? 1 : 0
    var name = name
    name.withUTF8 { name in
      let count = comma + name.count + 3
      // The room is of `count` bytes, of which each is written, in order: one append instead of five,
      // for the gate's `status` and `plan`.
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { room in
        if comma == 1 { room[0] = UInt8(ascii: ",") }
        room[comma] = UInt8(ascii: "\"")
        _ = room[(comma + 1)...].update(fromContentsOf: name)
        room[count - 2] = UInt8(ascii: "\"")
        room[count - 1] = UInt8(ascii: ":")
        bytes.append(contentsOf: UnsafeBufferPointer(room))
      }
    }
    needsComma = false
  }

  /// A member whose name users have chosen.
  package mutating func member(named name: String, _ text: String) {
    separate()
    JSONText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
    value(text)
  }

  /// A member whose name and value others have written.
  mutating func member(named name: String, raw value: ArraySlice<UInt8>) {
    separate()
    JSONText.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    bytes += value
    needsComma = true
  }

  /// Raw members, with commas between them.
  mutating func members(raw: [UInt8]) {
    guard !raw.isEmpty else { return }
    separate()
    bytes += raw
    needsComma = true
  }

  package mutating func value(_ text: String) {
    separate()
    JSONText.append(text, to: &bytes)
    needsComma = true
  }

  package mutating func value(_ number: some BinaryInteger) {
    separate()
    if let number = Int64(exactly: number) {
      bytes.append(decimal: number)
    } else {
      bytes += String(number).utf8
    }
    needsComma = true
  }

  package mutating func value(_ flag: Bool) {
    separate()
    bytes += (flag ? "true" : "false").utf8
    needsComma = true
  }

  package mutating func value(raw: [UInt8]) {
    separate()
    bytes += raw
    needsComma = true
  }

  package mutating func value(_ instant: WallInstant) {
    separate()
    JSONText.append(instant, to: &bytes)
    needsComma = true
  }

  /// A length of time in milliseconds, with three places.
  package mutating func value(_ duration: Duration) {
    separate()
    duration.appendMilliseconds(to: &bytes)
    needsComma = true
  }

  package mutating func member(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    value(text)
  }

  package mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
    guard let number else { return }
    key(name)
    value(number)
  }

  private mutating func nest(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void
  ) {
    self.open(open)
    body(&self)
    self.close(close)
  }

  mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    needsComma = false
  }

  mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = false
  }
}
