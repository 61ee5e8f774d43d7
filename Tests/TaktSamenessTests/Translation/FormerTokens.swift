import FormerCore

/// Which token of the former core each token of the present one stands for: one to one for each
/// timer, whatever the numbers are.
struct FormerTokens {
  private struct Arming: Hashable {
    var key: FormerCore.TimerKey
    var token: UInt64
  }

  private var known: [Arming: UInt64] = [:]
  /// The tokens that the former core has just armed timers with, in order.
  private var fresh: [FormerCore.TimerKey: [UInt64]] = [:]

  /// Takes the tokens of one event's effects, before any is looked up.
  mutating func take(_ effects: [FormerCore.SchedulerEffect]) {
    fresh = [:]
    for case .arm(let key, _, _, let token) in effects { fresh[key, default: []].append(token) }
  }

  /// The former token of a new arming; one that no arming has where the present core arms a timer
  /// oftener, or with a token that it has given this timer before.
  mutating func former(_ token: UInt64, of key: FormerCore.TimerKey) -> UInt64 {
    let arming = Arming(key: key, token: token)
    guard known[arming] == nil, let first = fresh[key]?.first else { return .max }
    fresh[key]?.removeFirst()
    known[arming] = first
    return first
  }

  /// The former token of one that has fired; of one that was never given itself.
  func fired(_ token: UInt64, of key: FormerCore.TimerKey) -> UInt64 {
    known[Arming(key: key, token: token)] ?? token | 1 << 63
  }
}
