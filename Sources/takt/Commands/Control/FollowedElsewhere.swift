import Glibc
import TaktAPI
import TaktControl
import TaktCore

/// The output of active runs on another machine of the cluster, read every second.
struct FollowedElsewhere {
  private static let runsMax = 20

  private let subject: String
  private let machine: String
  private let connection: ControlArgument.Connection

  /// - Parameter subject: a run by its number, or a job by its name.
  init(_ subject: String, on machine: String, _ connection: ControlArgument.Connection) {
    self.subject = subject
    self.machine = machine
    self.connection = connection
  }

  /// Writes it until the run ends; for a job, until the machine or the daemon stops answering.
  func show(_ write: ([UInt8]) -> Void) throws {
    if let run = try connection.run(named: subject) { return try show(run: run, write) }
    var last: UInt64?
    while true {
      let runs = try active()
      if last == nil, runs.isEmpty {
        Console.error(
          "no active run of \(subject.printable) on '\(machine.printable)'; waiting for the next one"
        )
      }
      for run in runs where run > last ?? 0 {
        Console.error("run \(run) of \(subject.printable) on '\(machine.printable)'")
        try show(run: run, write)
        last = run
      }
      last = last ?? 0
      sleep(1)
    }
  }

  /// The runs in progress, the oldest first.
  private func active() throws -> [UInt64] {
    let answer = try connection.ask(
      API.ClusterRuns.self, "GET",
      "/api/v1/cluster/runs?limit=\(Self.runsMax)&job=\(subject.asQueryValue)"
        + "&machine=\(machine.asQueryValue)"
    ).value
    try AskedMachines(problems: answer.problems).exitIfIncomplete()
    return answer.runs.map(\.run.object).filter { $0.outcome == nil && $0.state != "queued" }
      .map(\.run).sorted()
  }

  private func show(run: UInt64, _ write: ([UInt8]) -> Void) throws {
    let target = ControlArgument.Connection.path(of: machine) + "/runs/\(run)"
    var shown = ShownOutput()
    while true {
      // All of its output is there once it has ended.
      let (answer, _) = try connection.ask(API.Run.self, "GET", "\(target)?wait=1")
      let output = try connection.output(at: "\(target)/output")
      let new = shown.new(in: output.bytes, dropped: output.droppedBytes)
      if new.lostBytes > 0 { Console.error("… \(new.lostBytes) bytes came too fast …") }
      if !new.bytes.isEmpty { write(Array(new.bytes)) }
      if answer.state == "ended" { return }
    }
  }
}

/// The part of a run's output that has been shown; the machine keeps the start and the end of the
/// output.
struct ShownOutput {
  private var count = 0

  /// The new part of the kept output.
  ///
  /// - Parameters:
  ///   - kept: the start and the end, with a line between them if bytes are missing.
  ///   - dropped: the number of missing bytes.
  mutating func new(in kept: [UInt8], dropped: Int) -> (bytes: ArraySlice<UInt8>, lostBytes: Int) {
    let gap = Array("\n… \(dropped) bytes are not kept …\n".utf8)
    let place = dropped > 0 ? kept.lastRange(of: gap) : nil
    let tail = kept[(place?.upperBound ?? kept.startIndex)...]
    let total = kept.count - (place?.count ?? 0) + dropped
    let new = max(0, total - count)
    count = max(count, total)
    return (tail.suffix(new), max(0, new - tail.count))
  }
}

extension [UInt8] {
  fileprivate func lastRange(of part: [UInt8]) -> Range<Int>? {
    guard count >= part.count, !part.isEmpty else { return nil }
    return (0...(count - part.count)).last { self[$0] == part[0] && self[$0...].starts(with: part) }
      .map { $0..<($0 + part.count) }
  }
}
