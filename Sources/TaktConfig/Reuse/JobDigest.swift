import TaktCore

/// A digest of the words of a job, or of those that it shares with all jobs of its kind,
/// independent of their places.
///
/// 128 bits of a keyed hash, so that different jobs never count as equal.
struct JobDigest: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// A digest in 64 bits, for this process.
  var number: UInt64 { high }

  fileprivate init(_ bytes: [UInt8]) {
    var (first, second) = (Hasher(), Hasher())
    second.combine(0 as UInt8)
    bytes.withUnsafeBytes {
      first.combine(bytes: $0)
      second.combine(bytes: $0)
    }
    high = UInt64(bitPattern: Int64(first.finalize()))
    low = UInt64(bitPattern: Int64(second.finalize()))
  }
}

/// A buffer for the words of one job after another, for their digests.
struct JobWords {
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

  private var bytes: [UInt8] = []
  /// The entries in which the last job asked for differs from others of its kind.
  private(set) var ownEntries: [YAMLEntry] = []

  /// The digest of a job's name, keys and values.
  ///
  /// - Parameter family: the definition with `for_each` that makes the job; nil for a job of its
  ///   own.
  mutating func digest(of name: String, _ entries: [YAMLEntry], family: JobName?) -> JobDigest {
    bytes.removeAll(keepingCapacity: true)
    add(name)
    if let family { add(family.text) }
    add(entries)
    return JobDigest(bytes)
  }

  /// The digest of what a job shares with those that differ from it only in their names, in `run`
  /// and in `description`; nil if the job may be unlike any other: not all of its values are texts
  /// whose meaning is independent of its name.
  mutating func kind(of entries: [YAMLEntry], family: JobName?) -> JobDigest? {
    bytes.removeAll(keepingCapacity: true)
    ownEntries.removeAll(keepingCapacity: true)
    if let family { add(family.text) }
    var hasRun = false
    for entry in entries {
      guard case .scalar(let scalar) = entry.value.content, scalar.tag == nil else { return nil }
      let isRun = entry.key == JobKey.run.name
      if isRun || entry.key == JobKey.description.name {
        hasRun = hasRun || isRun
        ownEntries.append(entry)
      } else if Self.dependsOnName(entry.key, scalar.text) {
        return nil
      } else {
        add(entry.key)
        add(scalar)
      }
    }
    return hasRun ? JobDigest(bytes) : nil
  }

  /// `H` in a cron expression is a time that the name determines. Mistakes in an environment file
  /// are reported for each job that reads it.
  private static func dependsOnName(_ key: String, _ text: String) -> Bool {
    if key == JobKey.cron.name { return text.utf8.contains { $0 | 0x20 == UInt8(ascii: "h") } }
    return key == JobKey.environmentFile.name
  }

  private mutating func add(_ sign: Sign) { bytes.append(sign.rawValue) }

  private mutating func add(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    add(.end)
  }

  private mutating func add(_ entries: [YAMLEntry]) {
    add(.mapping)
    for entry in entries {
      add(entry.key)
      add(entry.value)
    }
    add(.end)
  }

  private mutating func add(_ scalar: YAMLScalar) {
    add(scalar.isPlain ? .plain : .quoted)
    if let tag = scalar.tag {
      add(.tag)
      add("\(tag)")
    }
    add(scalar.text)
  }

  private mutating func add(_ node: YAMLNode) {
    switch node.content {
    case .scalar(let scalar): add(scalar)
    case .sequence(let items):
      add(.sequence)
      for item in items { add(item) }
      add(.end)
    case .mapping(let entries): add(entries)
    case .invalid: add(.invalid)
    }
  }
}
