import ArgumentParser
import Dispatch
import Synchronization
import TaktAPI
import TaktSystem

/// The output of active runs, as they print it.
struct FollowedOutput {
  private let subject: String
  private let connection: ControlArgument.Connection

  /// - Parameter subject: a run by its number, or a job by its name.
  init(_ subject: String, _ connection: ControlArgument.Connection) {
    self.subject = subject
    self.connection = connection
  }

  /// Writes it until the run ends; for a job, until the daemon stops answering.
  func show(_ write: @escaping @Sendable ([UInt8]) -> Void) throws {
    if let run = try connection.run(named: subject) { return try show(run: "\(run)", write) }
    // From before the job was read, so that no run is missed.
    let (status, _) = try connection.ask(API.Status.self, "GET", "/api/v1/status")
    let (job, _) = try connection.ask(API.Job.self, "GET", "/api/v1/jobs/\(subject.asPathPart)")
    let incoming = IncomingOutputs(job.active.filter { $0.state != "queued" }.map(\.run))
    let target = "/api/v1/events?job=\(subject.asQueryValue)&after=\(status.events.last)"
    do throws(SystemError) {
      try Thread.start(name: "takt-events") { [connection] in
        try? connection.follow(target, accept: "text/event-stream") { incoming.receive($0) }
        incoming.end()
      }
    } catch {
      Console.error("takt: cannot start a thread to follow events (\(error))")
      throw ExitCode.unreachable
    }
    if job.active.isEmpty {
      Console.error("no active run of \(job.name); waiting for the next one")
    }
    while let run = incoming.next() {
      Console.error("run \(run) of \(job.name)")
      try show(run: String(run), write)
    }
  }

  private func show(run: String, _ write: @escaping @Sendable ([UInt8]) -> Void) throws {
    try connection.follow("/api/v1/runs/\(run)/output?follow=true", write)
  }

  /// The runs whose outputs are to be shown. Safe from any thread.
  private final class IncomingOutputs: Sendable {
    private struct State {
      var runs: [UInt64]
      /// All runs so far.
      var known: Set<UInt64>
      var stream = EventStream()
    }

    private let state: Mutex<State>
    private let filled = DispatchSemaphore(value: 0)

    init(_ runs: [UInt64]) {
      state = Mutex(State(runs: runs, known: Set(runs)))
      for _ in runs { filled.signal() }
    }

    func receive(_ bytes: [UInt8]) {
      let found = state.withLock { state in
        var found = 0
        for event in state.stream.events(in: bytes) {
          guard event.event == "run", event.to == "running", event.hook == nil,
            let run = event.run, state.known.insert(run).inserted
          else { continue }
          state.runs.append(run)
          found += 1
        }
        return found
      }
      for _ in 0..<found { filled.signal() }
    }

    func end() { filled.signal() }

    /// The next run; nil at the end of the events.
    func next() -> UInt64? {
      filled.wait()
      return state.withLock { $0.runs.isEmpty ? nil : $0.runs.removeFirst() }
    }
  }
}
