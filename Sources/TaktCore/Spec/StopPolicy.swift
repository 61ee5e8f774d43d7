/// How an attempt is stopped: a signal to its process group, then SIGKILL to what is left.
public struct StopPolicy: Hashable, Sendable {
  /// What the group is sent first. Default TERM.
  public var signal: StopSignal
  /// How long it then has. Default 10 s.
  public var grace: Duration

  /// TERM and 10 s unless told otherwise.
  public init(signal: StopSignal = .terminate, grace: Duration = .seconds(10)) {
    self.signal = signal
    self.grace = grace
  }
}

/// A signal that asks a process to end.
public enum StopSignal: String, CaseIterable, Hashable, Sendable {
  case terminate = "TERM"
  case interrupt = "INT"
  case hangUp = "HUP"
  case quit = "QUIT"
  case user1 = "USR1"
  case user2 = "USR2"
  case kill = "KILL"
}
