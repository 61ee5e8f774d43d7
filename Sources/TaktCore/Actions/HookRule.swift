/// The condition under which an action of a hook is called: each time its hook is, or more rarely.
package struct HookRule: Hashable, Sendable {
  package enum When: Hashable, Sendable {
    case every
    /// A run of `on_success` follows a failed one, or ends a staleness.
    case recovered
    /// The last attempt printed something.
    case output
    /// This many runs in a row have failed; once in each series of failures. `first` is one of
    /// them.
    case streak(least: Int)
  }

  package static let streakMax = 1_000_000

  /// Default `every`.
  package var when = When.every
  /// The shortest time between two calls of the action; nil (the default) for any.
  package var interval: Duration?

  package init(_ when: When = .every, interval: Duration? = nil) {
    self.when = when
    self.interval = interval
  }

  /// True if it depends on the action's last call.
  var needsMemory: Bool {
    switch when {
    case .recovered, .streak: true
    case .every, .output: interval != nil
    }
  }
}

extension HookRule.When {
  /// Reads `every`, `first`, `recovered`, `output` or `streak >= 3`; nil for any other text.
  package init?(_ text: String) {
    switch text {
    case "every": self = .every
    case "first": self = .streak(least: 1)
    case "recovered": self = .recovered
    case "output": self = .output
    default:
      let words = text.split(separator: ">=", omittingEmptySubsequences: false).map {
        $0.split(separator: " ").joined(separator: " ")
      }
      guard words.count == 2, words[0] == "streak", let least = Int(words[1]),
        (1...HookRule.streakMax).contains(least),
        words[1].utf8.allSatisfy({ $0 < 0x3a && $0 > 0x2f })
      else { return nil }
      self = .streak(least: least)
    }
  }

  package var text: String {
    switch self {
    case .every: "every"
    case .recovered: "recovered"
    case .output: "output"
    case .streak(1): "first"
    case .streak(let least): "streak >= \(least)"
    }
  }
}
