/// The class of a job's work, from what a person waits for to what nobody does.
package enum QoS: String, CaseIterable, Hashable, Sendable {
  case userInteractive = "user-interactive"
  case userInitiated = "user-initiated"
  case `default` = "default"
  case utility = "utility"
  case background = "background"

  /// Its place when runs wait: 0 for the most urgent class.
  package var rank: Int {
    switch self {
    case .userInteractive: 0
    case .userInitiated: 1
    case .default: 2
    case .utility: 3
    case .background: 4
    }
  }
}
