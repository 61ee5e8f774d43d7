import TaktTime

/// An action that must succeed before a slot of a job runs.
package struct Condition: Hashable, Sendable {
  /// The time limit of a try. Default 10 s.
  package static let defaultTimeout = Duration.seconds(10)
  /// The time between two tries while a slot waits. Default 1 min.
  package static let defaultInterval = Duration.seconds(60)

  /// A command, or a plugin.
  package var action: Action
  /// The time limit of one try; a longer one counts as no.
  package var timeout: Duration
  /// The time after its due time that a slot may wait for a yes; nil (the default): it is skipped
  /// at once.
  package var wait: Duration?
  /// The time from a no to the next try.
  package var interval: Duration

  package init(
    _ action: Action, timeout: Duration = Self.defaultTimeout, wait: Duration? = nil,
    interval: Duration = Self.defaultInterval
  ) {
    self.action = action
    self.timeout = timeout
    self.wait = wait
    self.interval = interval
  }

  /// A sentence without its subject, for people: it shows nothing of the command.
  package var words: String {
    let start = "only if the action of 'only_if' succeeds"
    guard let wait else { return start }
    return
      "\(start), waiting up to \(DurationText.format(wait)) and asking every "
      + DurationText.format(interval)
  }
}

extension Condition {
  /// The action, and all other values that are not defaults.
  fileprivate var shownParts: [HiddenValue] {
    var parts = [HiddenValue].of(action, under: "only_if.")
    if timeout != Self.defaultTimeout {
      parts.append(HiddenValue("only_if.timeout", DurationText.format(timeout)))
    }
    if let wait {
      parts.append(HiddenValue("only_if.wait", DurationText.format(wait)))
      parts.append(HiddenValue("only_if.every", DurationText.format(interval)))
    }
    return parts
  }
}

extension JobKey {
  package static let onlyIf = JobKey(
    "only_if",
    hidden: { $0.policies.onlyIf?.value.shownParts ?? [] },
    differs: { $0.policies.onlyIf != $1.policies.onlyIf })
}
