import TaktAPI
import TaktCore
import TaktTime

/// The present problems, above the table of `takt status`.
struct ProblemLines {
  let problems: [API.StatusProblem]
  let zone: Zone

  /// A line each, and an empty one after them; nothing without problems.
  func text(isColoured: Bool) -> [UInt8] {
    guard !problems.isEmpty else { return [] }
    let lines = problems.map { problem in
      let line = "! \(Self.words(problem, in: zone))".printable
      return isColoured ? Self.colour(of: problem).paint(line) : line
    }
    return Array((lines.joined(separator: "\n") + "\n\n").utf8)
  }

  private static func words(_ problem: API.StatusProblem, in zone: Zone) -> String {
    problem.message + (problem.since.map { " since \($0.rfc3339(in: zone))" } ?? "")
      + (problem.command.map { ": \($0)" } ?? "")
  }

  private static func colour(of problem: API.StatusProblem) -> TerminalColour {
    switch problem.kind {
    case "ledger", "cluster", "failing", "alarm_failed", "reload_refused": .red
    default: .yellow
    }
  }
}
