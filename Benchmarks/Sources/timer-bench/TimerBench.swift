import BenchFigures

/// Measures SafeTimer beside one plain `DispatchSourceTimer` a timer, in the same run.
///
/// `timer-bench [operations] [load] [latency] [--quick] [--json FILE]`; without a name, everything.
@main
struct TimerBench {
  static func main() throws {
    let figures = Figures()
    let arguments = Set(figures.arguments.dropFirst())
    let isQuick = arguments.contains("--quick")
    let chosen = arguments.subtracting(["--quick"])
    let wants = { (name: String) in chosen.isEmpty || chosen.contains(name) }
    if wants("operations") {
      Operations(counts: isQuick ? [1_000, 100_000] : [1_000, 10_000, 100_000, 1_000_000])
        .run(figures)
    }
    if wants("load") {
      Load(counts: isQuick ? [100_000] : [1_000, 10_000, 100_000], seconds: isQuick ? 3 : 4)
        .run(figures)
    }
    if wants("latency") { Latency(samples: isQuick ? 200 : 400).run(figures) }
    try figures.write()
  }
}
