import CTaktSystem
import Glibc
import TaktCore

/// Starting a child: what it executes, its environment, its descriptors, and who it is.
enum Spawn {
  /// A child that has been started. Its process group and session have its pid as their number.
  struct Child: Sendable {
    var pid: pid_t
    var pidfd: Int32
    var stdout: Int32
    var stderr: Int32
    /// The values that it must not be seen to print.
    var secrets: [[UInt8]]
    /// takt's ends of the pipes of a channel: the child's standard input and its descriptor 3.
    var channel: (input: Int32, control: Int32)?
  }

  /// Why there is no child.
  struct Failure: Error {
    var stage: StartStage
    var number: Int32
    /// What of the stage it is about, for people; empty when nothing more is known.
    var subject = ""
    /// The rule of plugins that it breaks; nil for what the system refuses.
    var fault: PluginFault?

    /// What the attempt has come to.
    var result: AttemptResult { fault?.result ?? .notStarted(stage, errno: number) }
  }

  /// Blocks until the program is executed. To be called on a thread at nice 0, so that the child
  /// can be given any class.
  ///
  /// - Parameter descriptors: what the child has at 3, 4 … besides; they stay the caller's.
  static func start(
    _ findings: SpawnPreparation.Findings, descriptors: [Int32] = []
  ) throws(Failure) -> Child {
    let request = findings.request
    let execution = request.spec.execution
    let arguments = Self.arguments(of: request)
    guard let program = arguments.first, !program.isEmpty else {
      throw Failure(stage: .exec, number: ENOENT)
    }
    let identity = findings.identity
    var files = ChildFiles(extra: descriptors)
    defer { files.closeOwn() }
    if findings.channel == nil {
      try files.open(stdin: execution.stdin)
    } else {
      try files.openChannel()
    }
    let secrets = try files.add(findings.secrets)
    let environment = AttemptEnvironment(
      of: request, account: identity.account, secrets: secrets.variables)
    var candidates = CStringBlock(candidates(for: program, path: environment.path))
    var words = CStringBlock(arguments)
    var variables = environment.block
    guard !words.hasZeroByte, !variables.hasZeroByte else {
      throw Failure(stage: .exec, number: EINVAL)
    }
    let order = Order(
      directory: execution.directory, descriptors: files.list, work: execution.qos.workClass,
      change: identity.change, limits: execution.limits.list, umask: execution.umask)
    let (pid, pidfd): (pid_t, Int32)
    do throws(Failure) {
      (pid, pidfd) = try order.execute(&candidates, &words, &variables)
    } catch {
      throw error.named(program: program, directory: execution.directory)
    }
    let outputs = files.takeOwnEnds()
    return Child(
      pid: pid, pidfd: pidfd, stdout: outputs.stdout, stderr: outputs.stderr,
      secrets: secrets.values, channel: outputs.channel)
  }

  private static func arguments(of request: AttemptRequest) -> [String] {
    switch request.action {
    case .shell(let text): request.spec.execution.shell + [text]
    case .argv(let arguments): arguments
    case .use, .plugin, .steps: []
    }
  }

  /// Where a program may be: as it is written when it has a slash, else in the child's own PATH.
  static func candidates(for program: String, path: String?) -> [String] {
    if program.contains("/") { return [program] }
    let folders = (path ?? AttemptEnvironment.standardPath).split(
      separator: ":", omittingEmptySubsequences: false)
    return folders.map { $0.isEmpty ? "./\(program)" : "\($0)/\(program)" }
  }

  /// All that the child is to be, but for its strings.
  private struct Order {
    var directory: String
    var descriptors: [Int32]
    var work: WorkClass
    var change: (uid: uid_t, gid: gid_t, groups: [gid_t])?
    var limits: [csystem_limit]
    var umask: UInt16?

    /// Asked for once: takt changes none after its start, and libraries that it uses no other than
    /// SIGPIPE.
    private static let changedSignals = csystem_changed_signals() | 1 << UInt64(SIGPIPE - 1)

    func execute(
      _ candidates: inout CStringBlock, _ arguments: inout CStringBlock,
      _ environment: inout CStringBlock
    ) throws(Failure) -> (pid: pid_t, pidfd: Int32) {
      var pid = pid_t(0)
      var pidfd = Int32(-1)
      var stage = Int32(0)
      let result = candidates.withPointers { candidates in
        arguments.withPointers { arguments in
          environment.withPointers { environment in
            // A pointer to mutable bytes has the same layout as one to constant bytes.
            withRequest(UnsafePointer(OpaquePointer(candidates)), arguments, environment) {
              csystem_spawn($0, &pid, &pidfd, &stage)
            }
          }
        }
      }
      guard result == 0 else { throw Failure(stage: StartStage(stage), number: result) }
      return (pid, pidfd)
    }

    /// The pointers of the request are good within `body` alone.
    private func withRequest(
      _ candidates: UnsafePointer<UnsafePointer<CChar>?>,
      _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      _ body: (UnsafePointer<csystem_spawn_request>) -> Int32
    ) -> Int32 {
      directory.withCString { directory in
        descriptors.withUnsafeBufferPointer { descriptors in
          limits.withUnsafeBufferPointer { limits in
            (change?.groups ?? []).withUnsafeBufferPointer { groups in
              var identity = csystem_identity(
                uid: change?.uid ?? 0, gid: change?.gid ?? 0, groups: groups.baseAddress,
                group_count: Int32(groups.count))
              return withUnsafePointer(to: &identity) { identity in
                var request = csystem_spawn_request(
                  candidates: candidates, argv: arguments, envp: environment,
                  directory: directory, descriptors: descriptors.baseAddress,
                  descriptor_count: Int32(descriptors.count), class: work.request,
                  identity: change == nil ? nil : identity, limits: limits.baseAddress,
                  limit_count: Int32(limits.count), umask: umask.map(Int32.init) ?? -1,
                  changed_signals: Self.changedSignals)
                return body(&request)
              }
            }
          }
        }
      }
    }
  }
}

extension StartStage {
  fileprivate init(_ stage: Int32) {
    switch Int(stage) {
    case CSYSTEM_STAGE_DIRECTORY: self = .directory
    case CSYSTEM_STAGE_EXEC: self = .exec
    case CSYSTEM_STAGE_USER: self = .user
    case CSYSTEM_STAGE_LIMITS: self = .limits
    default: self = .process
    }
  }
}
