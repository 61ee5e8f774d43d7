import TaktTime

/// The surroundings and limits of a job's runs.
package struct Execution: Hashable, Sendable {
  /// Program and arguments before the text of a shell action. Default `/bin/sh -c`.
  package var shell: [String]
  package static let standardShell = ["/bin/sh", "-c"]
  /// True if the text of a shell action starts without `shell` when that would only execute it.
  /// Default true.
  package var isDirect: Bool
  /// The part of takt's own environment that the child starts with. Default: by its user.
  package var inheritance: EnvironmentInheritance
  /// Added to what is inherited: `env_file` and `env` together.
  package var environment: [String: String]
  /// Secret values for the child, by the name of the variable that leads to each.
  package var secrets: [String: Secret]
  /// The child's working directory: an absolute path. Default: the folder of the job's file.
  package var directory: String
  /// The user and groups of the child; takt's own by default.
  package var identity: UserAndGroup
  /// The child's file mode creation mask; nil (the default) for takt's own.
  package var umask: UInt16?
  /// The child's standard input; nil (the default) for nothing.
  package var stdin: String?
  /// The time limit of an attempt; nil (the default) for none.
  package var timeout: Duration?
  package var stop: StopPolicy
  /// The class of the child's and the built-in's work. Default `default`.
  package var qos: QoS
  /// The child's nice value, -20 to 19; nil (the default) for that of `qos`.
  package var nice: Int8?
  /// The child's turns at the disk; nil (the default) for those of `qos`.
  package var inputOutput: InputOutputPriority?
  /// The limits of the child's resources. Default: those of takt itself.
  package var limits: Limits
  package var output: OutputPolicy
  /// The size of the terminal that the child prints to; nil (the default) for pipes.
  package var terminal: TerminalSize?
  package var success: SuccessRule
  package var retry: RetryPolicy

  /// The defaults of a jobs file, in the folder `directory`.
  package init(
    shell: [String] = Self.standardShell, environment: [String: String] = [:],
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
    isDirect = true
    inheritance = .byUser
    secrets = [:]
    identity = UserAndGroup()
    limits = Limits()
  }

  /// Hashes the fields in which most jobs differ: the gate's `load`.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(environment)
    hasher.combine(secrets.count)
    hasher.combine(directory)
    hasher.combine(identity)
    hasher.combine(stdin)
    hasher.combine(timeout)
    hasher.combine(output.file)
    hasher.combine(retry.attempts)
    hasher.combine(retry.delay)
  }
}

extension Execution {
  /// The words of a text that needs no shell; nil for one that `shell` has to read.
  ///
  /// - Parameter foresees: returns true if the shell's treatment of a variable is known; the value
  ///   of a secret is nil. Inherited variables are known when the command starts.
  package func directWords(
    of text: String, _ foresees: (_ variable: String, _ value: String?) -> Bool
  ) -> [String]? {
    guard isDirect, shell == Self.standardShell, !isPathForShell,
      environment.allSatisfy({ foresees($0, $1) }), secrets.keys.allSatisfy({ foresees($0, nil) })
    else { return nil }
    return PlainCommand.words(of: text)
  }

  /// Each shell has other rules for these in `PATH`.
  private var isPathForShell: Bool {
    environment["PATH"].map { $0.isEmpty || $0.contains { "%~".contains($0) } } ?? false
  }

  /// In the order in which they are shown.
  static let keys: [JobKey] = [
    .qos, .nice, .inputOutput, .inheritance, .directory, .user, .group, .umask, .limits, .timeout,
    .kill, .retry, .output, .terminal, .success, .failsWhen, .direct, .shell, .environment,
    .secrets, .stdin,
  ]
}

extension JobKey {
  package static let qos = JobKey("qos") { $0.execution.qos.rawValue }
  package static let nice = JobKey("nice") { $0.execution.nice.map { String($0) } }
  package static let inputOutput = JobKey("ionice") { $0.execution.inputOutput?.description }
  package static let inheritance = JobKey("inherit_env") {
    $0.execution.inheritance.words(for: $0.execution.identity)
  }
  package static let directory = JobKey("cwd") { $0.execution.directory }
  package static let user = JobKey("user") { $0.execution.identity.user }
  package static let group = JobKey("group") { $0.execution.identity.group }
  package static let umask = JobKey("umask") { spec in
    spec.execution.umask.map { mask in
      let digits = String(mask, radix: 8)
      return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
  }
  package static let limits = JobKey("limits") { $0.execution.limits.words }
  package static let timeout = JobKey("timeout") {
    $0.execution.timeout.map(DurationText.format)
  }
  package static let kill = JobKey("kill") { $0.execution.stop.words }
  package static let retry = JobKey("retry") { $0.execution.retry.words }
  package static let output = JobKey("output") { $0.execution.output.words }
  package static let terminal = JobKey("pty") { $0.execution.terminal?.words }
  package static let success = JobKey("success") { $0.execution.success.words }
  package static let failsWhen = JobKey("fails_when") { $0.execution.success.failureWords }
  package static let shell = JobKey(
    "shell", hidden: { [HiddenValue("shell", words: $0.execution.shell)] },
    differs: { $0.execution.shell != $1.execution.shell })
  package static let direct = JobKey("direct") { $0.execution.isDirect ? nil : "false" }
  package static let environment = JobKey(
    "env",
    hidden: { spec in
      spec.execution.environment.sorted { $0.key < $1.key }.map {
        HiddenValue("env.\($0.key)", $0.value)
      }
    },
    differs: { $0.execution.environment != $1.execution.environment })
  package static let environmentFile = JobKey(partOfAnother: "env_file")
  package static let secrets = JobKey(
    "secrets",
    hidden: { spec in
      spec.execution.secrets.sorted { $0.key < $1.key }.map {
        HiddenValue("secrets.\($0.key)", $0.value.words, isSecret: false)
      }
    },
    differs: { $0.execution.secrets != $1.execution.secrets })
  package static let stdin = JobKey(
    "stdin", hidden: { spec in spec.execution.stdin.map { [HiddenValue("stdin", $0)] } ?? [] },
    differs: { $0.execution.stdin != $1.execution.stdin })
}
