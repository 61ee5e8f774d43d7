import TaktCore

/// Jobs of one file that differ only in their names, in `run` and in `description`: what their
/// other keys come to is worked out for the first of them.
///
/// Large files are written by programs, whose jobs are of few kinds.
struct SimilarJobs {
  /// How many kinds are remembered.
  private static let kindsMax = 10_000
  /// Stands between words; no UTF-8 text has it.
  private static let separator: UInt8 = 0xff

  /// The keys of a job with their values, as the file has them.
  private struct Words: Hashable {
    var bytes: [UInt8] = []

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// The first job of a kind.
  struct Kind {
    var spec: JobSpec
    /// Whether it may come to something else at the next load.
    var isVolatile: Bool
  }

  private var kinds: [Words: Kind] = [:]
  private var words = Words()
  /// The entries of the present job that others of its kind have otherwise.
  private(set) var ownEntries: [YAMLEntry] = []

  /// Makes this the present job. Returns whether it may be like another: all that it says stands in
  /// texts whose meaning does not depend on the job's name.
  ///
  /// - Parameter family: the definition with `for_each` that makes it; nil for a job of its own.
  mutating func begin(_ entries: [YAMLEntry], of family: JobName?) -> Bool {
    words.bytes.removeAll(keepingCapacity: true)
    if let family {
      words.bytes += family.text.utf8
      words.bytes.append(Self.separator)
    }
    ownEntries.removeAll(keepingCapacity: true)
    for entry in entries {
      guard case .scalar(let scalar) = entry.value.content, scalar.tag == nil else { return false }
      if entry.key == JobKey.run.name || entry.key == JobKey.description.name {
        ownEntries.append(entry)
      } else if Self.dependsOnName(entry.key, scalar.text) {
        return false
      } else {
        add(entry.key, scalar)
      }
    }
    return ownEntries.contains { $0.key == JobKey.run.name }
  }

  /// A job of the present one's kind; nil for the first.
  var known: Kind? { kinds.isEmpty ? nil : kinds[words] }

  /// Remembers the present job's spec, of which nothing had to be reported.
  mutating func keep(_ spec: JobSpec, isVolatile: Bool) {
    let timing = spec.timing
    guard kinds.count < Self.kindsMax, timing.spread == nil, timing.schedule.after.isEmpty else {
      return
    }
    kinds[words] = Kind(spec: spec, isVolatile: isVolatile)
  }

  /// `H` in a cron expression stands for a time that the name determines. What is wrong in an
  /// environment file is said for each job that reads it.
  private static func dependsOnName(_ key: String, _ text: String) -> Bool {
    if key == JobKey.cron.name { return text.utf8.contains { $0 | 0x20 == UInt8(ascii: "h") } }
    return key == JobKey.environmentFile.name
  }

  private mutating func add(_ key: String, _ scalar: YAMLScalar) {
    words.bytes += key.utf8
    words.bytes.append(Self.separator)
    words.bytes += scalar.text.utf8
    words.bytes.append(Self.separator)
    words.bytes.append(scalar.isPlain ? 1 : 0)
  }
}
