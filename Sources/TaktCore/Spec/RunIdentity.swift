/// Whom a child runs as. Names or numbers in digits, looked up when an attempt starts.
public struct RunIdentity: Hashable, Sendable {
  /// The user; nil for takt's own. With a user come its groups, HOME, LOGNAME, USER and SHELL.
  public var user: String?
  /// The group; nil for the user's own.
  public var group: String?

  /// takt's own user and group unless told otherwise.
  public init(user: String? = nil, group: String? = nil) {
    self.user = user
    self.group = group
  }
}

/// What a child may use at most; nil leaves takt's own limit.
public struct Limits: Hashable, Sendable {
  /// Address space, in bytes.
  public var memoryBytes: Int?
  /// Processor time, in whole seconds.
  public var cpuSeconds: Int?
  /// Open descriptors.
  public var files: Int?
  /// Processes and threads of the child's user.
  public var processes: Int?
  /// A core dump, in bytes; 0 for none.
  public var coreBytes: Int?
  /// The longest file it may write, in bytes.
  public var fileSizeBytes: Int?

  /// No limits but takt's own.
  public init() {}

  /// Whether nothing is limited.
  public var isEmpty: Bool { self == Limits() }
}
