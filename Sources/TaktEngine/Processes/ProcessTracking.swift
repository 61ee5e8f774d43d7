/// How takt tells the processes of a run from all others.
package struct ProcessTracking: Sendable, CustomStringConvertible {
  let groups: ControlGroups?
  /// For people, such as `cgroup v2` or `session and mark (…)`.
  package let description: String

  /// By the session of the run's child, and by the mark in its environment.
  package static let sessions = Self(groups: nil, description: "session and mark")

  /// By a control group for each attempt where takt may make some, else by session and mark. It
  /// moves the process to a group of its own.
  ///
  /// `TAKT_CGROUP=off` in takt's environment does without control groups.
  package static func best() -> Self {
    do throws(ControlGroups.Unavailable) {
      return Self(groups: try ControlGroups(), description: "cgroup v2")
    } catch {
      return Self(groups: nil, description: "session and mark (no cgroup: \(error.reason))")
    }
  }
}
