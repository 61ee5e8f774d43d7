import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

enum Spawn {
  /// A child that has been started. Its process group and session have its pid as their number.
  struct Child: Sendable {
    var pid: pid_t
    var pidfd: Int32
    /// Tells whether it has executed its program, and otherwise the step that failed.
    var launch: Launch
    var candidates: [String]
    var startedAt: ContinuousClock.Instant
    var stdout: Int32
    /// Nil if both streams are one.
    var stderr: Int32?
    /// The values to mask in its output.
    var secrets: [[UInt8]]
    /// takt's ends of the pipes of a channel: the child's standard input and its descriptor 3.
    var channel: (input: Int32, control: Int32)?
  }

  /// Never waits for the child: that its program cannot be executed is known when it has ended. To
  /// be called on a thread at nice 0, so that the child can be given any class.
  ///
  /// - Parameters:
  ///   - mark: identifies its processes.
  ///   - controlGroup: the child's group from its start; nil for takt's own.
  ///   - announcement: registers the child with the guard; nil if it is not guarded.
  ///   - descriptors: the child's 3, 4 … besides; they stay the caller's.
  static func start(
    _ prepared: PreparedCommand, mark: String, controlGroup: ControlGroup? = nil,
    announcement: Guard.Announcement? = nil, descriptors: [Int32] = []
  ) throws(StartFailure) -> Child {
    let (command, identity) = (prepared.command, prepared.identity)
    guard let program = command.arguments.first, !program.isEmpty else {
      throw StartFailure(stage: .exec, number: ENOENT)
    }
    var files = ChildFiles(
      extra: descriptors, terminal: command.execution.terminal, owner: identity.change?.uid)
    defer { files.closeOwn() }
    let isMerged = command.execution.output.isMerged
    if command.channel == nil {
      try files.open(stdin: command.execution.stdin, isMerged: isMerged)
    } else {
      try files.openChannel(isMerged: isMerged)
    }
    let secrets = try files.add(prepared.secrets)
    let environment = ChildEnvironment(
      of: command, mark: mark, account: identity.account, secrets: secrets.variables)
    let candidates = candidates(for: program, path: environment.path)
    var paths = CStringBlock(candidates)
    var words = CStringBlock(command.arguments)
    var variables = environment.block
    guard !words.hasZeroByte, !variables.hasZeroByte else {
      throw StartFailure(stage: .exec, number: EINVAL)
    }
    let request = SpawnRequest(
      execution: command.execution, descriptors: files.list, change: identity.change,
      controlGroup: controlGroup, announcement: announcement)
    let direct = DirectRequest(command.direct, environment)
    let startedAt = ContinuousClock.now
    let started = try request.execute(&paths, &words, &variables, direct)
    let outputs = files.detachOwnEnds()
    return Child(
      pid: started.pid, pidfd: started.pidfd, launch: started.launch, candidates: candidates,
      startedAt: startedAt, stdout: outputs.stdout, stderr: outputs.stderr,
      secrets: secrets.values, channel: outputs.channel)
  }

  /// The limits for `setrlimit`; soft and hard ones are the same.
  fileprivate static func limits(_ limits: Limits) -> [csystem_limit] {
    if limits == Limits() { return [] }
    let pairs: [(Int32, Int?)] = [
      (Int32(RLIMIT_AS.rawValue), limits.memoryBytes),
      (Int32(RLIMIT_CPU.rawValue), limits.cpuSeconds),
      (Int32(RLIMIT_NOFILE.rawValue), limits.files),
      (Int32(__RLIMIT_NPROC.rawValue), limits.processes),
      (Int32(RLIMIT_CORE.rawValue), limits.coreBytes),
      (Int32(RLIMIT_FSIZE.rawValue), limits.fileSizeBytes),
    ]
    return pairs.compactMap { resource, value in
      value.map { csystem_limit(resource: resource, value: UInt64(max(0, $0))) }
    }
  }

  /// The possible paths of a program: as written if it has a slash, otherwise in the child's own
  /// PATH.
  static func candidates(for program: String, path: String?) -> [String] {
    if program.utf8.contains(UInt8(ascii: "/")) { return [program] }
    let folders = (path ?? ChildEnvironment.standardPath).split(
      separator: ":", omittingEmptySubsequences: false)
    return folders.map { $0.isEmpty ? "./\(program)" : "\($0)/\(program)" }
  }

  /// The properties of the child except its strings. A class: the closures below would copy a
  /// struct.
  private final class SpawnRequest {
    let execution: Execution
    let descriptors: [Int32]
    let change: (uid: uid_t, gid: gid_t, groups: [gid_t])?
    let controlGroup: ControlGroup?
    let announcement: Guard.Announcement?

    init(
      execution: Execution, descriptors: [Int32],
      change: (uid: uid_t, gid: gid_t, groups: [gid_t])?, controlGroup: ControlGroup?,
      announcement: Guard.Announcement?
    ) {
      self.execution = execution
      self.descriptors = descriptors
      self.change = change
      self.controlGroup = controlGroup
      self.announcement = announcement
    }

    /// Queried once: takt changes none after its start, and its libraries change only SIGPIPE.
    private static let changedSignals = csystem_changed_signals() | 1 << UInt64(SIGPIPE - 1)

    func execute(
      _ candidates: inout CStringBlock, _ arguments: inout CStringBlock,
      _ environment: inout CStringBlock, _ direct: DirectRequest?
    ) throws(StartFailure) -> (launch: Launch, pid: pid_t, pidfd: Int32) {
      let result = candidates.withPointers { candidates in
        arguments.withPointers { arguments in
          environment.withPointers { environment in
            // A pointer to mutable bytes has the same layout as one to constant bytes.
            let candidates = UnsafePointer<UnsafePointer<CChar>?>(OpaquePointer(candidates))
            return DirectRequest.withRequest(of: direct) { direct in
              withRequest(candidates, arguments, environment, direct) { Launch.start($0) }
            }
          }
        }
      }
      switch result {
      case .success(let started): return started
      case .failure(let error): throw StartFailure(stage: .process, number: error.number)
      }
    }

    private func withUnsafePointers<First, Second, Result>(
      to first: inout First, _ second: inout Second,
      _ body: (UnsafePointer<First>, UnsafePointer<Second>) -> Result
    ) -> Result {
      withUnsafePointer(to: &first) { first in
        withUnsafePointer(to: &second) { body(first, $0) }
      }
    }

    /// The pointers of the request are valid within `body` only.
    private func withRequest<Result>(
      _ candidates: UnsafePointer<UnsafePointer<CChar>?>,
      _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      _ environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      _ direct: UnsafePointer<csystem_direct>?,
      _ body: (UnsafePointer<csystem_spawn_request>) -> Result
    ) -> Result {
      let limits = Spawn.limits(execution.limits)
      return execution.directory.withCString { directory in
        descriptors.withUnsafeBufferPointer { descriptors in
          limits.withUnsafeBufferPointer { limits in
            (change?.groups ?? []).withUnsafeBufferPointer { groups in
              var identity = csystem_identity(
                uid: change?.uid ?? 0, gid: change?.gid ?? 0, groups: groups.baseAddress,
                group_count: Int32(groups.count))
              var guarded = announcement?.request ?? csystem_guarded()
              return withUnsafePointers(to: &identity, &guarded) { identity, guarded in
                var request = csystem_spawn_request(
                  candidates: candidates, argv: arguments, envp: environment,
                  directory: directory, descriptors: descriptors.baseAddress,
                  descriptor_count: Int32(descriptors.count),
                  class: execution.classRequest, identity: change == nil ? nil : identity,
                  limits: limits.baseAddress,
                  limit_count: Int32(limits.count), umask: execution.umask.map(Int32.init) ?? -1,
                  changed_signals: Self.changedSignals,
                  guarded: announcement == nil ? nil : guarded,
                  control_group: controlGroup?.folder ?? -1, direct: direct)
                return body(&request)
              }
            }
          }
        }
      }
    }
  }
}
