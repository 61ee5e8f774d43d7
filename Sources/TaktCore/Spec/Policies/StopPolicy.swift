import TaktTime

/// The way to stop an attempt: a signal to its process group, then SIGKILL to the remaining
/// processes.
package struct StopPolicy: Hashable, Sendable {
  /// The group's first signal. Default TERM.
  package var signal: StopSignal
  /// The time from it to SIGKILL. Default 10 s.
  package var grace: Duration

  /// The treatment of processes that the command leaves running when it ends by itself. Default
  /// `end`.
  package var leftovers: Leftovers

  /// A grace after which no process is left to kill: for commands that are never sent KILL.
  package static let endlessGrace = Duration.seconds(36_500 * 86_400)

  package init(
    signal: StopSignal = .terminate, grace: Duration = .seconds(10), leftovers: Leftovers = .end
  ) {
    self.signal = signal
    self.grace = grace
    self.leftovers = leftovers
  }
}

/// The treatment of processes that a command leaves running.
package enum Leftovers: String, CaseIterable, Hashable, Sendable {
  /// They are ended, and the run ends when they have.
  case end
  /// They are counted, logged and released: a process that the command has started on purpose, such
  /// as a service, lives on. A run that is stopped ends everything all the same.
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
