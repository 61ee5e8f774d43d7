import BenchFigures
import CStorm
import Foundation

/// 1,000 jobs due at one instant, each a tiny static program, 16 at a time: how many takt starts in a
/// second, beside a bare C loop that starts the same program as often, by turns in one run.
///
/// Usage: storm-bench PATH-OF-TAKT [JOBS] [ALTERNATIONS] [--json FILE]
let figures = Figures()
let arguments = figures.arguments
guard arguments.count > 1 else {
  print("usage: storm-bench PATH-OF-TAKT [JOBS] [ALTERNATIONS] [--json FILE]")
  exit(64)
}
let jobCount = arguments.count > 2 ? Int(arguments[2]) ?? 1000 : 1000
let concurrency = 16
let alternations = arguments.count > 3 ? Int(arguments[3]) ?? 9 : 9

do {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "storm-bench-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let program = try TinyProgram.build(in: folder)
  // Once for the page cache.
  _ = cstorm_run(program, 100, Int32(concurrency))
  print("\(jobCount) jobs due at one instant, \(concurrency) at a time, each a tiny static program")
  print("| starts/s bare C | starts/s takt | ratio | takt's own CPU, µs a run | by thread |")
  print("|---|---|---|---|---|")
  var bareStarts: [Double] = []
  var storms: [Storm] = []
  for _ in 1...alternations {
    let nanoseconds = cstorm_run(program, Int32(jobCount), Int32(concurrency))
    guard nanoseconds > 0 else { throw StormError(description: "the bare loop failed") }
    let bare = Double(jobCount) / (Double(nanoseconds) / 1e9)
    let storm = try Storm(
      of: arguments[1], running: program, jobs: jobCount, concurrency: concurrency, in: folder)
    bareStarts.append(bare)
    storms.append(storm)
    print(
      String(
        format: "| %.0f | %.0f | %.2f | %.0f | %@ |", bare, storm.startsPerSecond,
        storm.startsPerSecond / bare, storm.processorMicrosecondsPerRun, storm.threads))
  }
  print("each of the \(jobCount) jobs ran exactly once, in each of \(alternations) storms")
  let ratios = zip(storms, bareStarts).map { $0.startsPerSecond / $1 }
  print(String(format: "median ratio: %.2f (bound 0.95)", Figure.median(ratios)))
  let name = "\(jobCount) static programs due at once: starts per second"
  figures.add(Figure(name, "1/s", storms.map(\.startsPerSecond)))
  figures.add(
    Figure(name, "1/s", bareStarts, peer: "bare C loop", ratios: ratios, atLeast: 0.95))
  figures.add(
    Figure(
      "takt CPU per run, static programs due at once", "µs",
      storms.map(\.processorMicrosecondsPerRun)))
  try figures.write()
} catch {
  print("storm-bench: \(error)")
  exit(1)
}
