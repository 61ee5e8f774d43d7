import ArgumentParser
import Dispatch
import Glibc
import Synchronization
import TaktAPI
import TaktCore
import TaktSystem

struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Start no new runs, wait for active ones, then stop the daemon.",
    discussion: """
      For an update or a restart of the machine: active runs end by themselves, however long they take, \
      and no new one starts. Hooks still run; retries wait. A trigger is refused. Slots that pass \
      meanwhile are left to 'missed', as if takt did not run. In a cluster, other machines take them.

      With --hold the daemon stays, and starts no run until `takt drain --undo`. Another `takt drain` then \
      ends it. Ctrl-C ends this command alone: the drain goes on. Exits with 69 if takt is stopped or \
      killed before the drain is done.
      """)

  @Flag(help: "Keep the daemon running, without starting runs.")
  var hold = false

  @Flag(help: "Start runs again.")
  var undo = false

  @Flag(inversion: .prefixedNo, help: "Wait until no run is active and the daemon has ended.")
  var wait = true

  @OptionGroup var control: ControlArgument

  func validate() throws {
    guard !hold || !undo else { throw ValidationError("Specify --hold or --undo, not both.") }
  }

  func run() throws {
    var connection = try control.connect()
    connection.conflictCode = .unchanged
    if undo {
      _ = try connection.ask(API.Drain.self, "POST", "/api/v1/drain/undo", body: [])
      return Console.print("takt starts runs again")
    }
    var order = API.DrainOrder()
    order.hold = hold
    let daemon = try connection.ask(
      API.Status.self, "GET", "/api/v1/status", only: ["pid", "started", "events"]
    ).value
    // From before the drain, so that its end is not missed.
    let end = wait ? try DrainEnd(of: daemon, connection) : nil
    _ = try connection.ask(API.Drain.self, "POST", "/api/v1/drain", body: order.json)
    Console.print("takt starts no new runs")
    if let end { try follow(connection, daemon, end) }
  }

  /// Prints the jobs that the drain waits for, at each change, until it is done.
  private func follow(
    _ connection: ControlArgument.Connection, _ daemon: API.Status, _ end: DrainEnd
  ) throws {
    var shown: String?
    while true {
      let status = connection.askQuietly(API.Status.self, "/api/v1/status")
      guard let status, status.pid == daemon.pid, status.started == daemon.started else {
        // It may not answer while it ends.
        guard status == nil, isThere(daemon.pid) else { return try end.report() }
        pause()
        continue
      }
      if status.drain == nil, status.phase == "running" {
        Console.error("takt: the drain was undone")
        throw ExitCode.failure
      }
      if let drain = status.drain, drain.done {
        if drain.hold {
          return Console.print("no run is active; 'takt drain --undo' lets takt start runs again")
        }
      } else if status.running > 0 {
        let words = Self.words(status.running, active(connection))
        if words != shown { Console.print(words) }
        shown = words
      }
      pause()
    }
  }

  private func isThere(_ pid: Int) -> Bool {
    (kill(pid_t(clamping: pid), 0) == 0 || errno == EPERM) && control.hasSocket
  }

  private func pause() {
    Console.flush()
    usleep(300_000)
  }

  private func active(_ connection: ControlArgument.Connection) -> [String] {
    let target = "/api/v1/jobs?limit=100000&durations=false&state=running"
    return connection.askQuietly(API.JobPage.self, target)?.jobs.elements.map(\.name) ?? []
  }

  private static func words(_ running: Int, _ jobs: [String]) -> String {
    let names = jobs.prefix(8).joined(separator: ", ") + (jobs.count > 8 ? ", …" : "")
    return "waiting for \(running == 1 ? "1 active run" : "\(running) active runs")"
      + (names.isEmpty ? "" : ": \(names)")
  }
}

/// Follows the events of a daemon to the end of a drain. Safe from any thread.
private final class DrainEnd: Sendable {
  private struct State {
    var stream = EventStream()
    var isFollowed = false
    var isDrained = false
  }

  private let state = Mutex(State())
  private let begun = DispatchSemaphore(value: 0)
  private let over = DispatchSemaphore(value: 0)

  /// Returns once the events are followed, or cannot be.
  init(of daemon: API.Status, _ connection: ControlArgument.Connection) throws {
    // The last event is sent again, which shows that the next ones will be.
    let target = "/api/v1/events?after=\(max(daemon.events.last, 1) - 1)"
    do throws(SystemError) {
      try Thread.start(name: "takt-events") { [self] in
        try? connection.follow(target, accept: "text/event-stream") { [self] in receive($0) }
        begun.signal()
        over.signal()
      }
    } catch {
      Console.error("takt: cannot start a thread to follow events (\(error))")
      throw ExitCode.unreachable
    }
    begun.wait()
  }

  private func receive(_ bytes: [UInt8]) {
    let isFirst = state.withLock { state in
      defer { state.isFollowed = true }
      let isDrained = state.stream.events(in: bytes).contains {
        $0.event == LogEvent.scheduler.rawValue && $0.reason == SchedulerCore.drainedReason
      }
      if isDrained { state.isDrained = true }
      return !state.isFollowed
    }
    if isFirst { begun.signal() }
  }

  /// Prints the end of a daemon that no longer runs; ends the program if the drain was not the
  /// cause.
  func report() throws {
    // Its end closes the stream, after the last events.
    over.wait()
    let (isFollowed, isDrained) = state.withLock { ($0.isFollowed, $0.isDrained) }
    if isDrained { return Console.print("takt has ended") }
    Console.error(
      isFollowed
        ? "takt: takt was stopped or killed before the drain was done; active runs may have been "
          + "interrupted: takt runs --since 1d"
        : "takt: takt has ended, but its events could not be followed; whether active runs were "
          + "interrupted: takt runs --since 1d")
    throw ExitCode.unreachable
  }
}
