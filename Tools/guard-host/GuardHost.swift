import Glibc
import TaktCore
import TaktEngine
import TaktTime

/// Runs commands under a guard, for tests that kill this process, or stop it.
///
/// Reads one request a line: `run N SCRIPT` starts a claimed run, `finish N SCRIPT` one that does
/// not end with the lease, `free N SCRIPT` one without a claim, `deadline NANOSECONDS` sets the
/// guard's deadline (0 for none), `add PID SINCE UNTIL MARK` guards a foreign process, `guard` asks
/// for the guard's number, `quit` ends guard and host. Prints each event on a line.
@main
struct GuardHost {
  /// Prints each line of the commands' output.
  private struct Sink: OutputSink {
    var hasRoom: Bool { true }

    func output(_ fields: [LogField]) {
      for field in fields {
        guard case .bytes(let bytes) = field.value else { continue }
        say("out \(String(decoding: bytes, as: UTF8.self))")
      }
    }

    func drop(lines: Int) {}
  }

  private let tracking: ProcessTracking
  private let guardian: Guard
  private let runner: CommandRunner

  static func main() throws {
    Signals.block()
    let host = try GuardHost()
    say("tracking \(host.tracking)")
    say("guard \(host.guardian.pid ?? 0)")
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      if words.first == "quit" { break }
      host.perform(words)
    }
    host.guardian.stop()
  }

  init() throws {
    let reactor = try Reactor()
    tracking = ProcessTracking.best()
    guardian = try Guard.start(on: reactor, tracking: tracking)
    let processes = try ProcessRunner(
      reactor: reactor, sink: Sink(), tracking: tracking, guardian: guardian)
    runner = CommandRunner(processes: processes) { event in
      switch event {
      case .actionEnded(let run, let report):
        say("ended \(run) \(report.result) \(report.descendants.count)")
      case .groupEnded(let run, _): say("gone \(run)")
      default: break
      }
    }
    try Signals.receive(on: reactor) { number in
      if number == SIGCHLD { processes.reapOrphans() }
    }
    try processes.adoptOrphans()
  }

  private func perform(_ words: [String]) {
    switch words.first {
    case "run": start(words, claim: ClaimToken(7))
    case "finish": start(words, claim: ClaimToken(7), onLeaseLost: .finish)
    case "free": start(words, claim: nil)
    case "deadline": guardian.setDeadline(UInt64(words[1]).flatMap { $0 == 0 ? nil : $0 })
    case "guard": say("guard \(guardian.pid ?? 0)")
    case "add":
      let rest = words[2].split(separator: " ").map(String.init)
      guardian.add(
        ProcessID.make(),
        ProcessIdentity(
          pid: Int32(words[1]) ?? 0, sinceTicks: UInt64(rest[0]) ?? 0,
          untilTicks: UInt64(rest[1]) ?? 0, mark: rest.count > 2 ? rest[2] : ""))
      say("added")
    default: say("what?")
    }
  }

  private func start(_ words: [String], claim: ClaimToken?, onLeaseLost: LeaseLostPolicy = .stop) {
    guard let number = UInt64(words[1]), let name = JobName("job\(number)") else { return }
    var spec = JobSpec(
      name: name, timing: Timing(schedule: Schedule(every: Every(.seconds(1)))),
      action: .shell(words[2]))
    spec.onLeaseLost = onLeaseLost
    var request = AttemptRequest(
      run: RunID(number), attempt: 1, spec: spec, slot: WallInstant(milliseconds: 0))
    request.fence = claim
    runner.start([request])
  }
}

/// Prints one whole line.
private func say(_ text: String) {
  let line = Array((text + "\n").utf8)
  write(STDOUT_FILENO, line, line.count)
}
