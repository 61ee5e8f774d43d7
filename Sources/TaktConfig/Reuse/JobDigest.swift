import TaktCore

/// The words of a job, or those that it has in common with all jobs of its kind, and not where they
/// stand.
///
/// 128 bits of a keyed hash, so that no two texts of different jobs are taken for one.
struct JobDigest: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// The same in 64 bits, for this process.
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

/// Room for the words of one job after another, from which their digests are made.
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
  /// The entries of the job whose kind was asked last that others of its kind have otherwise.
  private(set) var ownEntries: [YAMLEntry] = []

  /// All that a job says: its name, its keys and their values.
  ///
  /// - Parameter family: the definition with `for_each` that makes the job; nil for a job of its own.
  mutating func digest(of name: String, _ entries: [YAMLEntry], family: JobName?) -> JobDigest {
    bytes.removeAll(keepingCapacity: true)
    add(name)
    if let family { add(family.text) }
    add(entries)
    return JobDigest(bytes)
  }

  /// What a job has in common with those that differ from it only in their names, in `run` and in
  /// `description`; nil where it may be like no other: not all that it says stands in texts whose
  /// meaning does not depend on its name.
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

  /// `H` in a cron expression stands for a time that the name determines. What is wrong in an
  /// environment file is said for each job that reads it.
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
