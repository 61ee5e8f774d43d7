import ArgumentParser
import Glibc
import TaktAPI
import TaktCore

struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain",
    abstract: "Start no new runs, wait for active ones, then stop the daemon.",
    discussion: """
      For an update or a restart of the machine: active runs end by themselves, however long they take, \
      and no new one starts. Hooks still run; retries wait. A trigger is refused. Slots that pass \
      meanwhile are left to 'missed', as if takt did not run. In a cluster, other machines take them.

      With --hold the daemon stays, and starts no run until `takt drain --undo`. Another `takt drain` then \
      ends it. Ctrl-C ends this command alone: the drain goes on.
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
    let pid = try connection.ask(API.Status.self, "GET", "/api/v1/status", only: ["pid"]).value.pid
    _ = try connection.ask(API.Drain.self, "POST", "/api/v1/drain", body: order.json)
    Console.print("takt starts no new runs")
    if wait { try follow(connection, pid) }
  }

  /// Says which jobs are waited for, at each change, until the drain is done.
  private func follow(_ connection: ControlArgument.Connection, _ pid: Int) throws {
    var shown: String?
    while true {
      let status = connection.askQuietly(API.Status.self, "/api/v1/status")
      guard let status, status.pid == pid else {
        // It may not answer while it ends.
        guard status == nil, isThere(pid) else { return Console.print("takt has ended") }
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
      } else {
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
