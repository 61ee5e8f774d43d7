/// Splits a stream of JSON objects into objects, no matter where its parts are cut.
package struct JSONObjectSplitter {
  package enum Flaw: Error {
    /// Something other than white space between two objects.
    case notAnObject
    case tooLong
  }

  /// A longer object ends the stream.
  private let bytesMax: Int
  private var object: [UInt8] = []
  private var depth = 0
  private var isInText = false
  private var isEscaped = false

  package init(bytesMax: Int = 1024 * 1024) { self.bytesMax = bytesMax }

  /// Passes each complete object to `body`. The reader checks whether it is valid JSON.
  package mutating func feed(
    _ bytes: UnsafeRawBufferPointer, _ body: (_ object: [UInt8]) -> Void
  ) throws(Flaw) {
    for byte in bytes {
      if depth == 0 {
        if Self.spaces.contains(byte) { continue }
        guard byte == UInt8(ascii: "{") else { throw .notAnObject }
      }
      guard object.count < bytesMax else { throw .tooLong }
      object.append(byte)
      count(byte)
      if depth == 0 {
        body(object)
        object.removeAll(keepingCapacity: true)
      }
    }
  }

  private mutating func count(_ byte: UInt8) {
    if isInText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInText = false
      }
      return
    }
    switch byte {
    case UInt8(ascii: "\""): isInText = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }

  private static let spaces: Set<UInt8> = [9, 10, 13, 32]
}
