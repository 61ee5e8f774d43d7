import BenchFigures
import CEcho
import Foundation

/// A service plugin under 1,000 runs a second: how long takt's runs of it take, beside runs of a
/// built-in in the same process, and beside a bare loop in C with the same plugin.
///
/// Usage: plugin-bench PATH-OF-TAKT [RUNS] [REPETITIONS] [--json FILE]
struct Line: Decodable {
  var event: String
  var job: String?
  var to: String?
  var outcome: String?
  var message: String?
  var duration_ms: Double?
}

func percentile(_ values: [Double], _ share: Double) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}

func text(_ milliseconds: Double) -> String { String(format: "%.3f", milliseconds) }

/// Percentiles in milliseconds of one repetition.
struct Repetition {
  var plugin: [Double]
  var builtin: [Double]
  var bare: [Double]

  func overBuiltin(_ share: Double) -> Double {
    percentile(plugin, share) - percentile(builtin, share)
  }
}

func measure(_ takt: String, runs wanted: Int) throws -> Repetition {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("plugin-bench-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let program = try EchoPlugin.build(in: folder)

  // A hundred jobs, each ten times a second, a millisecond apart; and ten of a built-in between.
  var yaml = "scheduler: {max_running: 200}\njobs:\n"
  for index in 0..<100 {
    yaml += "  plugin\(index): {every: 100ms, first: \(1000 + index)ms, use: echo}\n"
  }
  for index in 0..<10 {
    yaml += "  builtin\(index): {every: 100ms, first: \(1005 + index * 10)ms, use: log, "
    yaml += "with: {message: x, level: debug}}\n"
  }
  let file = folder.appendingPathComponent("jobs.yaml")
  try yaml.write(to: file, atomically: true, encoding: .utf8)
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(fileURLWithPath: takt)
  process.arguments = ["run", file.path, "--log-format", "json"]
  process.standardOutput = output
  try process.run()
  // Meanwhile, in the same second and on the same processors, the bare loop.
  let bare = BareLoop(program, count: wanted / 2)
  var plugin: [Double] = []
  var builtin: [Double] = []
  var starts = 0
  var rest = Data()
  let decoder = JSONDecoder()
  let begin = Date()
  var last = begin
  while plugin.count < wanted {
    let chunk = output.fileHandleForReading.availableData
    guard !chunk.isEmpty else { throw BenchError("takt has ended") }
    rest += chunk
    while let end = rest.firstIndex(of: 10) {
      let line = rest[rest.startIndex..<end]
      rest = rest[(end + 1)...]
      // Few lines are looked at: what reads the log takes its time from what is measured.
      guard
        line.range(of: Data("\"to\":\"ended\"".utf8)) != nil
          || line.range(of: Data("is ready\"".utf8)) != nil
      else { continue }
      let record = try decoder.decode(Line.self, from: line)
      if record.event == "plugin" { starts += 1 }
      guard record.event == "run", let duration = record.duration_ms else { continue }
      guard record.outcome == "succeeded" else { throw BenchError("a run has failed") }
      if record.job?.hasPrefix("plugin") == true {
        plugin.append(duration)
      } else {
        builtin.append(duration)
      }
      last = Date()
    }
  }
  let rate = Double(plugin.count) / (last.timeIntervalSince(begin) - 1)
  process.terminate()
  while !output.fileHandleForReading.availableData.isEmpty {}
  process.waitUntilExit()

  let bareMilliseconds = try bare.milliseconds()
  print("| | runs | p50 ms | p99 ms |")
  print("|---|---|---|---|")
  for (name, values) in [("plugin", plugin), ("built-in", builtin), ("bare C", bareMilliseconds)] {
    print(
      "| \(name) | \(values.count) | \(text(percentile(values, 0.5))) | \(text(percentile(values, 0.99))) |"
    )
  }
  print(String(format: "%.0f runs of the plugin a second, by %d process", rate, starts))
  let repetition = Repetition(plugin: plugin, builtin: builtin, bare: bareMilliseconds)
  let overhead = repetition.overBuiltin(0.5)
  print("p50 over the built-in: \(text(overhead)) ms (bound 0.5)")
  let bareP99 = percentile(bareMilliseconds, 0.99)
  let overheadP99 = repetition.overBuiltin(0.99)
  print(
    String(
      format: "p99 beside bare C: over the built-in %.2f (bound 2), as a whole %.2f",
      overheadP99 / bareP99, percentile(plugin, 0.99) / bareP99))
  return repetition
}

/// Adds the figures of all repetitions.
func add(_ repetitions: [Repetition], to figures: Figures) {
  for (word, share) in [("p50", 0.5), ("p99", 0.99)] {
    figures.add(
      Figure("plugin run, \(word)", "ms", repetitions.map { percentile($0.plugin, share) }))
    figures.add(
      Figure("built-in run, \(word)", "ms", repetitions.map { percentile($0.builtin, share) }))
    figures.add(
      Figure(
        "plugin run, \(word)", "ms", repetitions.map { percentile($0.bare, share) },
        peer: "bare C loop"))
  }
  figures.add(
    Figure(
      "plugin run minus built-in run, p50", "ms", repetitions.map { $0.overBuiltin(0.5) },
      atMost: 0.5))
  figures.add(
    Figure("plugin run minus built-in run, p99", "ms", repetitions.map { $0.overBuiltin(0.99) }))
  figures.add(
    Figure(
      "plugin run minus built-in run, p99", "ms", repetitions.map { percentile($0.bare, 0.99) },
      peer: "bare C loop",
      ratios: repetitions.map { $0.overBuiltin(0.99) / percentile($0.bare, 0.99) }, atMost: 2))
}

let figures = Figures()
let arguments = figures.arguments
guard arguments.count > 1 else {
  print("usage: plugin-bench PATH-OF-TAKT [RUNS] [REPETITIONS] [--json FILE]")
  exit(64)
}
do {
  let runs = arguments.count > 2 ? Int(arguments[2]) ?? 10_000 : 10_000
  let count = arguments.count > 3 ? Int(arguments[3]) ?? 3 : 3
  add(try (0..<count).map { _ in try measure(arguments[1], runs: runs) }, to: figures)
  try figures.write()
} catch {
  print("plugin-bench: \(error)")
  exit(1)
}
