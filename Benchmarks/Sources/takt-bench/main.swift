import Foundation

/// What leeway saves, measured on the real program: 1,000 jobs of 0.5 to 5 s, with 10 % leeway and
/// with none, one after the other in one run.
///
/// Usage: takt-bench PATH-OF-TAKT [SECONDS]
let arguments = CommandLine.arguments
guard arguments.count > 1 else {
  print("usage: takt-bench PATH-OF-TAKT [SECONDS]")
  exit(64)
}
let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 20 : 20
let workload = Workload(jobCount: 1000, seed: 1)
let program = URL(fileURLWithPath: arguments[1])

do {
  let strict = try Measurement(of: program, workload, leewayPercent: 0, seconds: seconds)
  let lenient = try Measurement(of: program, workload, leewayPercent: 10, seconds: seconds)
  print("1,000 jobs of 0.5 to 5 s, `use: log`, \(Int(seconds)) s each; the whole process")
  print(Measurement.header)
  print(strict.row("none"))
  print(lenient.row("10 %"))
  let ratio = strict.switchesPerSecond / lenient.switchesPerSecond
  print(String(format: "voluntary context switches: %.1f times fewer with leeway", ratio))
  print(
    String(
      format: "wakes with leeway: %d, offline optimum of the same windows: %d, ratio %.3f",
      lenient.wakes, lenient.optimum, Double(lenient.wakes) / Double(lenient.optimum)))
} catch {
  print("takt-bench: \(error)")
  exit(1)
}
