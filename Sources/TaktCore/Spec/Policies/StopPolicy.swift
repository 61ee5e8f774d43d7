import TaktTime

/// How an attempt is stopped: a signal to its process group, then SIGKILL to what is left.
package struct StopPolicy: Hashable, Sendable {
  /// What the group is sent first. Default TERM.
  package var signal: StopSignal
  /// How long it then has. Default 10 s.
  package var grace: Duration

  /// What becomes of processes that the command leaves running when it ends by itself. Default
  /// `end`.
  package var leftovers: Leftovers

  /// A grace after which nothing is left to kill: for commands that are never sent KILL.
  package static let endlessGrace = Duration.seconds(36_500 * 86_400)

  package init(
    signal: StopSignal = .terminate, grace: Duration = .seconds(10), leftovers: Leftovers = .end
  ) {
    self.signal = signal
    self.grace = grace
    self.leftovers = leftovers
  }
}

/// What becomes of processes that a command leaves running.
package enum Leftovers: String, CaseIterable, Hashable, Sendable {
  /// They are ended, and the run ends when they have.
  case end
  /// They are counted, logged and released: what the command has started on purpose, such as a
  /// service, lives on. A run that is stopped ends everything all the same.
  case leave
}

/// A signal that asks a process to end.
package enum StopSignal: String, CaseIterable, Hashable, Sendable {
  case terminate = "TERM"
  case interrupt = "INT"
  case hangUp = "HUP"
  case quit = "QUIT"
  case user1 = "USR1"
  case user2 = "USR2"
  case kill = "KILL"
}

extension StopPolicy {
  var words: String {
    "\(signal.rawValue), \(DurationText.format(grace))"
      + (leftovers == .end ? "" : ", leftovers: \(leftovers.rawValue)")
  }
}
