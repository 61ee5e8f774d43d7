/// How a run of a job is done.
public struct Execution: Hashable, Sendable {
  /// Program and arguments before the text of a shell action. Default `/bin/sh -c`.
  public var shell: [String]
  /// What of takt's own environment the child begins with. Default: by its user.
  public var inheritance: EnvironmentInheritance
  /// Added to what is inherited: `env_file` and `env` together.
  public var environment: [String: String]
  /// Secret values for the child, by the name of the variable that leads to each.
  public var secrets: [String: Secret]
  /// Where the child starts: an absolute path. Default: the folder of the job's file.
  public var directory: String
  /// Whom the child runs as; the default is takt's own user and groups.
  public var identity: RunIdentity
  /// The child's file mode creation mask; nil (the default) for takt's own.
  public var umask: UInt16?
  /// What the child reads on its standard input; nil (the default) for nothing.
  public var stdin: String?
  /// How long an attempt may take; nil (the default) for as long as it likes.
  public var timeout: Duration?
  /// How an attempt is stopped.
  public var stop: StopPolicy
  /// The class of the child's and the built-in's work. Default `default`.
  public var qos: QoS
  /// What the child may use at most. Default: what takt itself may.
  public var limits: Limits
  /// What becomes of what the child prints.
  public var output: OutputPolicy
  /// What counts as success.
  public var success: SuccessRule
  /// Whether an attempt that failed is followed by another.
  public var retry: RetryPolicy

  /// The defaults of a jobs file, in the folder `directory`.
  public init(
    shell: [String] = ["/bin/sh", "-c"], environment: [String: String] = [:],
    directory: String = "/", timeout: Duration? = nil, stop: StopPolicy = StopPolicy(),
    qos: QoS = .default, output: OutputPolicy = OutputPolicy(),
    success: SuccessRule = SuccessRule(), retry: RetryPolicy = RetryPolicy()
  ) {
    self.shell = shell
    self.environment = environment
    self.directory = directory
    self.timeout = timeout
    self.stop = stop
    self.qos = qos
    self.output = output
    self.success = success
    self.retry = retry
    inheritance = .byUser
    secrets = [:]
    identity = RunIdentity()
    limits = Limits()
  }
}
