import BenchFigures
import Foundation

/// What leeway saves, measured on the real program: 1,000 jobs of 0.5 to 5 s, with 10 % leeway and
/// with none, by turns in one run.
///
/// Usage: takt-bench PATH-OF-TAKT [SECONDS] [ALTERNATIONS] [--json FILE]
let figures = Figures()
let arguments = figures.arguments
guard arguments.count > 1 else {
  print("usage: takt-bench PATH-OF-TAKT [SECONDS] [ALTERNATIONS] [--json FILE]")
  exit(64)
}
let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 20 : 20
let alternations = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
let workload = Workload(jobCount: 1000, seed: 1)
let program = URL(fileURLWithPath: arguments[1])

do {
  print("1,000 jobs of 0.5 to 5 s, `use: log`, \(Int(seconds)) s each; the whole process")
  print(Measurement.header)
  var strict: [Measurement] = []
  var lenient: [Measurement] = []
  for _ in 1...alternations {
    for (name, percent) in [("none", 0), ("10 %", 10)] {
      let measurement = try Measurement(
        of: program, workload, leewayPercent: percent, seconds: seconds)
      print(measurement.row(name))
      if percent == 0 { strict.append(measurement) } else { lenient.append(measurement) }
    }
  }
  let ratios = zip(strict, lenient).map { $0.switchesPerSecond / $1.switchesPerSecond }
  print(
    String(
      format: "voluntary context switches: %.1f times fewer with leeway", Figure.median(ratios)))
  let optima = lenient.map { Double($0.wakes) / Double($0.optimum) }
  for measurement in lenient {
    print(
      "wakes with leeway: \(measurement.wakes), "
        + "offline optimum of the same windows: \(measurement.optimum)")
  }
  print(String(format: "ratio %.3f", Figure.median(optima)))
  figures.add(
    Figure("context switches per second, no leeway", "1/s", strict.map(\.switchesPerSecond)))
  figures.add(
    Figure("context switches per second, 10 % leeway", "1/s", lenient.map(\.switchesPerSecond)))
  figures.add(
    Figure("context switches, no leeway ÷ 10 % leeway", "", ratios, atLeast: 20))
  figures.add(
    Figure(
      "context switches per wake-up, 10 % leeway", "",
      lenient.map { Double($0.switches) / Double($0.wakes) }, atMost: 5))
  figures.add(
    Figure("wake-ups ÷ fewest possible, 10 % leeway", "", optima, atMost: 1.02))
  try figures.write()
} catch {
  print("takt-bench: \(error)")
  exit(1)
}
