/// How a run of a job is done.
package struct Execution: Hashable, Sendable {
  /// Program and arguments before the text of a shell action. Default `/bin/sh -c`.
  package var shell: [String]
  /// What of takt's own environment the child begins with. Default: by its user.
  package var inheritance: EnvironmentInheritance
  /// Added to what is inherited: `env_file` and `env` together.
  package var environment: [String: String]
  /// Secret values for the child, by the name of the variable that leads to each.
  package var secrets: [String: Secret]
  /// Where the child starts: an absolute path. Default: the folder of the job's file.
  package var directory: String
  /// Whom the child runs as; the default is takt's own user and groups.
  package var identity: RunIdentity
  /// The child's file mode creation mask; nil (the default) for takt's own.
  package var umask: UInt16?
  /// What the child reads on its standard input; nil (the default) for nothing.
  package var stdin: String?
  /// How long an attempt may take; nil (the default) for as long as it likes.
  package var timeout: Duration?
  /// How an attempt is stopped.
  package var stop: StopPolicy
  /// The class of the child's and the built-in's work. Default `default`.
  package var qos: QoS
  /// What the child may use at most. Default: what takt itself may.
  package var limits: Limits
  /// What becomes of what the child prints.
  package var output: OutputPolicy
  /// What counts as success.
  package var success: SuccessRule
  /// Whether an attempt that failed is followed by another.
  package var retry: RetryPolicy

  /// The defaults of a jobs file, in the folder `directory`.
  package init(
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
