import TaktCore

/// What a job says in its file: its name, its keys and their values, and not where they stand.
///
/// 128 bits of a keyed hash, so that no two texts of different jobs are taken for one.
struct JobDigest: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// The same in 64 bits, for this process.
  var number: UInt64 { high }

  /// - Parameters:
  ///   - family: the definition with `for_each` that makes the job; nil for a job of its own.
  ///   - buffer: room for the job's words, used again for the next one.
  init(
    _ name: String, _ entries: [YAMLEntry], family: JobName?, buffer: inout [UInt8]
  ) {
    buffer.removeAll(keepingCapacity: true)
    Self.add(name, to: &buffer)
    if let family { Self.add(family.text, to: &buffer) }
    Self.add(entries, to: &buffer)
    var (first, second) = (Hasher(), Hasher())
    second.combine(Sign.mapping.rawValue)
    buffer.withUnsafeBytes {
      first.combine(bytes: $0)
      second.combine(bytes: $0)
    }
    high = UInt64(bitPattern: Int64(first.finalize()))
    low = UInt64(bitPattern: Int64(second.finalize()))
  }

  /// Bytes that no UTF-8 text has.
  private enum Sign: UInt8 {
    case end = 0xff
    case plain = 0xfe
    case quoted = 0xfd
    case sequence = 0xfc
    case mapping = 0xfb
    case invalid = 0xfa
    case tag = 0xf9
  }

  private static func add(_ sign: Sign, to buffer: inout [UInt8]) { buffer.append(sign.rawValue) }

  private static func add(_ text: String, to buffer: inout [UInt8]) {
    buffer.append(contentsOf: text.utf8)
    add(.end, to: &buffer)
  }

  private static func add(_ entries: [YAMLEntry], to buffer: inout [UInt8]) {
    add(.mapping, to: &buffer)
    for entry in entries {
      add(entry.key, to: &buffer)
      add(entry.value, to: &buffer)
    }
    add(.end, to: &buffer)
  }

  private static func add(_ node: YAMLNode, to buffer: inout [UInt8]) {
    switch node.content {
    case .scalar(let scalar):
      add(scalar.isPlain ? .plain : .quoted, to: &buffer)
      if let tag = scalar.tag {
        add(.tag, to: &buffer)
        add("\(tag)", to: &buffer)
      }
      add(scalar.text, to: &buffer)
    case .sequence(let items):
      add(.sequence, to: &buffer)
      for item in items { add(item, to: &buffer) }
      add(.end, to: &buffer)
    case .mapping(let entries): add(entries, to: &buffer)
    case .invalid: add(.invalid, to: &buffer)
    }
  }
}
