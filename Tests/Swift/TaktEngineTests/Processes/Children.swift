import Glibc
import TaktCore
import Testing

@testable import TaktEngine
import TaktTime

extension Spawn {
  /// Prepares and starts in one step, and waits until the program is executed.
  static func start(
    _ request: AttemptRequest, mark: String = AttemptMark.make(), descriptors: [Int32] = []
  ) throws(StartFailure) -> Child {
    let child = try start(
      try PreparedCommand(Command(of: request), SystemAccounts()), mark: mark,
      descriptors: descriptors)
    while !child.launch.wait(milliseconds: 60_000) {}
    guard let failure = child.launch.failure else { return child }
    Children.end(child, by: SIGKILL)
    throw StartFailure(stage: failure.stage, number: failure.number)
  }
}

/// Starts children without a runner.
enum Children {
  /// A request for a command of a job named `job`.
  static func request(
    _ action: Action, _ change: (inout Execution) -> Void = { _ in }, facts: RunFacts? = nil
  ) throws -> AttemptRequest {
    var execution = Execution()
    change(&execution)
    let spec = JobSpec(
      name: try #require(JobName("job")),
      timing: Timing(schedule: Schedule(every: Every(.seconds(1)))), action: action,
      execution: execution)
    return AttemptRequest(
      run: RunID(7), attempt: 2, spec: spec, slot: WallInstant(milliseconds: 1500), facts: facts)
  }

  /// The standard output of a command, line by line.
  static func lines(
    _ action: Action, _ change: (inout Execution) -> Void = { _ in }, facts: RunFacts? = nil,
    mark: String = AttemptMark.make(), descriptors: [Int32] = [], fence: ClaimToken? = nil
  ) throws -> [String] {
    var request = try request(action, change, facts: facts)
    request.fence = fence
    let child = try Spawn.start(request, mark: mark, descriptors: descriptors)
    defer { end(child, by: SIGKILL) }
    return String(decoding: readToEnd(child.stdout), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// The reason why a command does not start.
  static func failure(
    _ action: Action, _ change: (inout Execution) -> Void = { _ in }
  ) throws -> String {
    let request = try request(action, change)
    do throws(StartFailure) {
      let child = try Spawn.start(request)
      end(child, by: SIGKILL)
      return "started"
    } catch {
      return "\(error.stage.rawValue) \(ErrorName.of(error.number))"
    }
  }

  static func end(_ child: Spawn.Child, by signal: Int32) {
    kill(-child.pid, signal)
    waitpid(child.pid, nil, 0)
    for descriptor in [child.pidfd, child.stdout, child.stderr ?? -1] { close(descriptor) }
  }

  static func readToEnd(_ descriptor: Int32) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, 60_000) == 1 else { return result }
      let count = read(descriptor, &buffer, buffer.count)
      // A terminal reports its end as an error.
      if count == 0 || count < 0 && errno == EIO { return result }
      if count > 0 { result += buffer[..<count] }
    }
  }
}
