/// A change of a file, or in a folder, as a trigger.
package struct PathWatch: Hashable, Sendable, Comparable {
  /// How long a change may settle before the job is due, so that several make one. Default 1 s.
  package static let defaultDebounce = Duration.seconds(1)

  /// The file or the folder; absolute.
  package var path: String
  /// How long nothing more must change before the job is due.
  package var debounce: Duration

  /// A change at `path`.
  package init(path: String, debounce: Duration = Self.defaultDebounce) {
    self.path = path
    self.debounce = debounce
  }

  /// By their paths.
  package static func < (left: Self, right: Self) -> Bool {
    (left.path, left.debounce) < (right.path, right.debounce)
  }
}
