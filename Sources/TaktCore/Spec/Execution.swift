/// How a run of a job is done.
public struct Execution: Hashable, Sendable {
  /// Program and arguments before the text of a shell action. Default `/bin/sh -c`.
  public var shell: [String]
  /// Added to the environment that takt itself has.
  public var environment: [String: String]
  /// Where the child starts: an absolute path. Default: the folder of the job's file.
  public var directory: String
  /// How long an attempt may take; nil (the default) for as long as it likes.
  public var timeout: Duration?
  /// How an attempt is stopped.
  public var stop: StopPolicy
  /// The class of the child's and the built-in's work. Default `default`.
  public var qos: QoS

  /// The defaults of a jobs file, in the folder `directory`.
  public init(
    shell: [String] = ["/bin/sh", "-c"], environment: [String: String] = [:],
    directory: String = "/", timeout: Duration? = nil, stop: StopPolicy = StopPolicy(),
    qos: QoS = .default
  ) {
    self.shell = shell
    self.environment = environment
    self.directory = directory
    self.timeout = timeout
    self.stop = stop
    self.qos = qos
  }
}

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

/// The class of a job's work, from what a person waits for to what nobody does.
public enum QoS: String, CaseIterable, Hashable, Sendable {
  case userInteractive = "user-interactive"
  case userInitiated = "user-initiated"
  case `default` = "default"
  case utility = "utility"
  case background = "background"
}
