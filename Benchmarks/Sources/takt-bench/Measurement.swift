import Foundation

/// One run of the program under a workload.
struct Measurement {
  private(set) var seconds: Double
  private(set) var switches = 0
  private(set) var processorSeconds = 0.0
  private(set) var served = 0
  private(set) var lost = 0
  private(set) var wakes = 0
  private(set) var optimum = 0
  /// How late slots started, after the end of their windows where they have leeway; milliseconds.
  private var lateness: [Double] = []

  var switchesPerSecond: Double { Double(switches) / seconds }

  init(of program: URL, _ workload: Workload, leewayPercent: Int, seconds: Double) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "takt-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("jobs.yaml")
    let log = folder.appendingPathComponent("log")
    try workload.yaml(leewayPercent: leewayPercent).write(
      to: file, atomically: true, encoding: .utf8)
    FileManager.default.createFile(atPath: log.path, contents: nil)

    var before = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &before)
    let start = Date()
    let process = Process()
    process.executableURL = program
    process.arguments = ["run", file.path, "--log-format", "json"]
    process.standardOutput = try FileHandle(forWritingTo: log)
    try process.run()
    Thread.sleep(forTimeInterval: seconds)
    process.terminate()
    process.waitUntilExit()
    self.seconds = Date().timeIntervalSince(start)
    var after = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &after)
    switches = after.ru_nvcsw - before.ru_nvcsw
    processorSeconds =
      Self.seconds(after.ru_utime) + Self.seconds(after.ru_stime) - Self.seconds(before.ru_utime)
      - Self.seconds(before.ru_stime)
    try read(log, workload, leewayPercent: leewayPercent)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private struct Line: Decodable {
    var event: String
    var job: String?
    var slot: String?
    var verdict: String?
    var reason: String?
    var late_ms: Double?
    var count: Int?
    var message: String?
  }

  private mutating func read(_ log: URL, _ workload: Workload, leewayPercent: Int) throws {
    let decoder = JSONDecoder()
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var windows: [(start: Double, end: Double)] = []
    for bytes in try Data(contentsOf: log).split(separator: 10) {
      let line = try decoder.decode(Line.self, from: bytes)
      if let message = line.message, message.hasPrefix("timers: ") {
        wakes = message.split(separator: " ").compactMap { Int($0) }.last ?? 0
      }
      guard line.event == "slot", let job = line.job, let slot = line.slot else { continue }
      guard line.verdict == "ran", let late = line.late_ms else {
        // Windows that are open at the end are no slots lost.
        if line.reason != "stopping" { lost += line.count ?? 1 }
        continue
      }
      served += 1
      let leeway = Double(workload.intervals[job] ?? 0) * Double(leewayPercent) / 100
      lateness.append(max(0, late - leeway))
      let due = (formatter.date(from: slot)?.timeIntervalSince1970 ?? 0) * 1000
      windows.append((due, due + leeway - min(5, leeway / 10)))
    }
    optimum = Self.fewestWakes(windows)
    lateness.sort()
  }

  /// The fewest instants that meet every window: always the end of the earliest that none meets.
  private static func fewestWakes(_ windows: [(start: Double, end: Double)]) -> Int {
    var count = 0
    var last = -Double.infinity
    for window in windows.sorted(by: { $0.end < $1.end }) where window.start > last {
      count += 1
      last = window.end
    }
    return count
  }

  static let header = """
    leeway   switches/s  wakes/s  optimum/s  slots   lost  cpu %  late past the window, ms: p50   p99    max
    """

  func row(_ name: String) -> String {
    func late(_ share: Double) -> Double {
      lateness.isEmpty ? 0 : lateness[min(lateness.count - 1, Int(Double(lateness.count) * share))]
    }
    return name.padding(toLength: 6, withPad: " ", startingAt: 0)
      + String(
        format: " %12.1f %8.1f %10.1f %6d %6d %6.2f %31.3f %6.3f %6.3f", switchesPerSecond,
        Double(wakes) / seconds, Double(optimum) / seconds, served, lost,
        processorSeconds / seconds * 100, late(0.5), late(0.99), late(1))
  }
}
