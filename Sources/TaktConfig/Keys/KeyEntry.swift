/// One key that may stand in a jobs file.
package struct KeyEntry: Hashable, Sendable {
  /// What a reload does when the value has changed.
  package enum ReloadEffect: String, Hashable, Sendable {
    /// The job goes on under the new value; its timer is untouched.
    case updates
    /// The job's timer is armed anew.
    case rearms
    /// Nothing: it counts when takt starts.
    case restarts = "needs a restart"
  }

  /// The key as it is written.
  package var name: String
  /// What values it takes.
  package var type: KeyType
  /// What holds when it is left out, as the reference says it; nil for nothing.
  package var defaultText: String?
  /// What a reload does when it has changed; nil where that depends on what stands under it.
  package var reload: ReloadEffect?
  /// Whether it may stand in `defaults`.
  package var mayStandInDefaults: Bool
  /// Whether `null` in a job takes away what `defaults` gives.
  package var mayBeNull: Bool
  /// One sentence for people.
  package var summary: String

  /// A key of the table; what may stand in `defaults` may be null unless told otherwise.
  package init(
    _ name: String, _ type: KeyType, default defaultText: String? = nil, reload: ReloadEffect?,
    mayStandInDefaults: Bool = false, mayBeNull: Bool? = nil, _ summary: String
  ) {
    self.name = name
    self.type = type
    self.defaultText = defaultText
    self.reload = reload
    self.mayStandInDefaults = mayStandInDefaults
    self.mayBeNull = mayBeNull ?? mayStandInDefaults
    self.summary = summary
  }
}
