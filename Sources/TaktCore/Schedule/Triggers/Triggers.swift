import TaktTime

/// The end of another job's run, as a trigger.
package struct Following: Hashable, Sendable, Comparable {
  package enum Condition: String, CaseIterable, Hashable, Sendable {
    case success
    /// It has failed or timed out.
    case failure
    case any
  }

  package var job: JobName
  /// Default `success`.
  package var condition: Condition

  package init(_ job: JobName, on condition: Condition = .success) {
    self.job = job
    self.condition = condition
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.job, left.condition.rawValue) < (right.job, right.condition.rawValue)
  }
}

/// A change of a file, or in a folder, as a trigger.
package struct PathWatch: Hashable, Sendable, Comparable {
  /// The default settling time: changes within it count as one. 1 s.
  package static let defaultDebounce = Duration.seconds(1)

  /// The file or the folder; absolute.
  package var path: String
  /// The time without a further change after which the job is due.
  package var debounce: Duration
  /// The entries of a folder that count; empty (the default) for all.
  package var patterns: [PathPattern] = []
  /// True if the folders below a folder are watched, too.
  package var isRecursive = false

  package init(
    path: String, debounce: Duration = Self.defaultDebounce, patterns: [PathPattern] = [],
    isRecursive: Bool = false
  ) {
    self.path = path
    self.debounce = debounce
    self.patterns = patterns
    self.isRecursive = isRecursive
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.path, left.debounce, left.words) < (right.path, right.debounce, right.words)
  }

  /// `/srv/in, debounce 1s, recursive, pattern *.csv`
  package var words: String {
    ([path, "debounce \(DurationText.format(debounce))"] + (isRecursive ? ["recursive"] : [])
      + patterns.map { "pattern \($0.text)" }).joined(separator: ", ")
  }

  /// True if a change at an absolute path counts.
  package func covers(_ other: String) -> Bool {
    if other == path { return true }
    let folder = Array((path == "/" ? path : path + "/").utf8)
    guard other.utf8.starts(with: folder) else { return false }
    let below = Array(other.utf8.dropFirst(folder.count))
    let isDeep = isRecursive || patterns.contains(where: \.reachesBelow)
    return (isDeep || !below.contains(UInt8(ascii: "/"))) && patterns.match(below)
  }
}

extension [PathPattern] {
  /// True if one of them matches a path below the folder, or there is none.
  package func match(_ path: some Collection<UInt8>) -> Bool {
    isEmpty || contains { $0.matches(path) }
  }
}

extension LifecycleEvent {
  var cause: SlotCause {
    switch self {
    case .start: .start
    case .boot: .boot
    case .reload: .reload
    }
  }
}
