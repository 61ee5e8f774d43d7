/// The event after which a hook's actions are called.
package enum HookKind: String, CaseIterable, Hashable, Comparable, Sendable {
  case onStart = "on_start"
  /// A run has failed or timed out, after its last attempt.
  case onFailure = "on_failure"
  case onSuccess = "on_success"
  /// A run has succeeded, and the one before had failed.
  case onRecover = "on_recover"
  /// A run has started later than leeway and tolerance allow, or takes longer than expected.
  case onLate = "on_late"
  /// No run has succeeded for as long as `expect_success_within` allows.
  case onStale = "on_stale"
  /// Another hook, or a ping, has failed after its last try. Nothing is called when this one fails.
  case onAlarmFailed = "on_alarm_failed"
  /// A slot is due, and the action decides if it may run: not a hook of the jobs file, but run like
  /// one.
  case onlyIf = "only_if"

  /// Only the hooks of the jobs file.
  package static let allCases: [HookKind] = [
    .onStart, .onFailure, .onSuccess, .onRecover, .onLate, .onStale, .onAlarmFailed,
  ]

  /// In the order of the key table.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The actions of each hook that a job has.
package typealias Hooks = [HookKind: [Step]]

extension HookRule.When {
  package var hooks: [HookKind] {
    switch self {
    case .every: HookKind.allCases
    case .recovered: [.onSuccess]
    case .output: [.onFailure, .onSuccess, .onRecover]
    case .streak: [.onFailure, .onRecover]
    }
  }
}
