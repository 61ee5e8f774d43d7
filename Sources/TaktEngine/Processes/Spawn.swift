import CSystem
import Glibc
import TaktCore

/// Starting a child: what it executes, its environment and its pipes.
enum Spawn {
  /// A child that has been started. Its process group and session have its pid as their number.
  struct Child: Sendable {
    var pid: pid_t
    var pidfd: Int32
    var stdout: Int32
    var stderr: Int32
  }

  /// Why there is no child.
  struct Failure: Error {
    var stage: StartStage
    var number: Int32
  }

  /// Blocks until the program is executed. To be called on a thread at nice 0, so that the child
  /// can be given any class.
  static func start(_ request: AttemptRequest) throws(Failure) -> Child {
    let execution = request.spec.execution
    let arguments = Self.arguments(of: request)
    let environment = environment(of: request)
    guard let program = arguments.first, !program.isEmpty else {
      throw Failure(stage: .exec, number: ENOENT)
    }
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard null >= 0 else { throw Failure(stage: .process, number: errno) }
    defer { close(null) }
    let stdout = try Pipe()
    let stderr: Pipe
    do { stderr = try Pipe() } catch {
      stdout.closeBoth()
      throw error
    }
    defer {
      close(stdout.writeEnd)
      close(stderr.writeEnd)
    }
    do {
      let (pid, pidfd) = try execute(
        candidates: candidates(for: program, path: environment["PATH"]), arguments: arguments,
        environment: environment.map { "\($0)=\($1)" }, directory: execution.directory,
        descriptors: (null, stdout.writeEnd, stderr.writeEnd), nice: execution.qos.nice)
      return Child(pid: pid, pidfd: pidfd, stdout: stdout.readEnd, stderr: stderr.readEnd)
    } catch {
      close(stdout.readEnd)
      close(stderr.readEnd)
      throw error
    }
  }

  private static func arguments(of request: AttemptRequest) -> [String] {
    switch request.action {
    case .shell(let text): request.spec.execution.shell + [text]
    case .argv(let arguments): arguments
    case .use, .steps: []
    }
  }

  private static func environment(of request: AttemptRequest) -> [String: String] {
    var environment = inherited
    for (name, value) in request.spec.execution.environment { environment[name] = value }
    environment["TAKT_JOB"] = request.spec.name.text
    environment["TAKT_RUN"] = request.run.description
    environment["TAKT_SLOT"] = request.slot.rfc3339()
    environment["TAKT_ATTEMPT"] = String(request.attempt)
    return environment
  }

  /// takt's own environment, read once: nothing in this process changes it.
  private static let inherited: [String: String] = {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return result
  }()

  /// Where a program may be: as it is written when it has a slash, else in the child's own PATH.
  static func candidates(for program: String, path: String?) -> [String] {
    if program.contains("/") { return [program] }
    let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(
      separator: ":", omittingEmptySubsequences: false)
    return folders.map { $0.isEmpty ? "./\(program)" : "\($0)/\(program)" }
  }

  private static func execute(
    candidates: [String], arguments: [String], environment: [String], directory: String,
    descriptors: (stdin: Int32, stdout: Int32, stderr: Int32), nice: Int32
  ) throws(Failure) -> (pid: pid_t, pidfd: Int32) {
    var pid = pid_t(0)
    var pidfd = Int32(-1)
    var stage = Int32(0)
    let candidateList = CStringList(candidates)
    let argumentList = CStringList(arguments)
    let environmentList = CStringList(environment)
    let result = directory.withCString { directory in
      candidateList.withConstPointers { candidates in
        var request = csystem_spawn_request(
          candidates: candidates, argv: argumentList.pointers, envp: environmentList.pointers,
          directory: directory, stdin_fd: descriptors.stdin, stdout_fd: descriptors.stdout,
          stderr_fd: descriptors.stderr, nice: nice)
        return csystem_spawn(&request, &pid, &pidfd, &stage)
      }
    }
    // The lists own the strings that the call has read.
    withExtendedLifetime((argumentList, environmentList)) {}
    guard result == 0 else { throw Failure(stage: StartStage(stage), number: result) }
    return (pid, pidfd)
  }
}

extension StartStage {
  fileprivate init(_ stage: Int32) {
    switch Int(stage) {
    case CSYSTEM_STAGE_DIRECTORY: self = .directory
    case CSYSTEM_STAGE_EXEC: self = .exec
    default: self = .process
    }
  }
}

/// A pipe whose descriptors no child inherits by accident; reading never blocks.
private struct Pipe {
  let readEnd: Int32
  let writeEnd: Int32

  init() throws(Spawn.Failure) {
    var ends: [Int32] = [-1, -1]
    guard csystem_pipe(&ends) == 0 else {
      throw Spawn.Failure(stage: .process, number: errno)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  func closeBoth() {
    close(readEnd)
    close(writeEnd)
  }
}

/// Strings as C wants them: a list of pointers with nil at its end.
private final class CStringList {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ strings: [String]) {
    count = strings.count
    pointers = .allocate(capacity: count + 1)
    for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
    pointers[count] = nil
  }

  deinit {
    for index in 0..<count { free(pointers[index]) }
    pointers.deallocate()
  }

  func withConstPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    // A pointer to mutable bytes has the same layout as one to constant bytes.
    pointers.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: count + 1) { body($0) }
  }
}
