import Foundation

/// One storm through takt, measured by its own log.
struct Storm {
  private(set) var startsPerSecond = 0.0
  private(set) var processorMicrosecondsPerRun = 0.0
  /// Microseconds a run of the threads, by name.
  private(set) var threads = ""

  private struct Line: Decodable {
    var ts: String
    var job: String?
    var machine: String?
    var to: String?
    var outcome: String?
    var due: String?
    var message: String?
  }

  init(
    of takt: String, running program: String, jobs: Int, concurrency: Int, in folder: URL
  ) throws {
    let file = folder.appendingPathComponent("jobs.yaml")
    let log = folder.appendingPathComponent("log-\(UUID().uuidString)")
    // Due two seconds from now, so that loading is over.
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let due = formatter.string(from: Date() + 2)
    var text = "scheduler: {max_running: \(concurrency)}\njobs:\n"
    for index in 0..<jobs { text += "  job\(index): {at: \"\(due)\", run: [\(program)]}\n" }
    try text.write(to: file, atomically: true, encoding: .utf8)
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: takt)
    process.arguments = ["run", file.path, "--log-format", "json"]
    process.standardOutput = try FileHandle(forWritingTo: log)
    try process.run()
    let pid = process.processIdentifier
    let tail = try FileHandle(forReadingFrom: log)
    let before = try Self.wait(until: { Self.count("\"message\":\"started", in: tail) > 0 }, pid)
    var ended = 0
    let after = try Self.wait(
      until: {
        ended += Self.count("\"to\":\"ended\"", in: tail)
        return ended >= jobs
      }, pid)
    process.terminate()
    process.waitUntilExit()
    measure(before, after, jobs)
    try read(log, jobs: jobs)
  }

  /// Nanoseconds of each thread by its name, when something has come to pass.
  private static func wait(until isDone: () -> Bool, _ pid: Int32) throws -> [String: Double] {
    let end = Date() + 120
    while !isDone() {
      guard Date() < end else { throw StormError(description: "takt does not come to an end") }
      usleep(100_000)
    }
    var result: [String: Double] = [:]
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
      let folder = "/proc/\(pid)/task/\(thread)"
      let times = try? String(contentsOfFile: folder + "/schedstat", encoding: .utf8)
      let name = try? String(contentsOfFile: folder + "/comm", encoding: .utf8)
      let nanoseconds = times?.split(separator: " ").first.flatMap { Double($0) } ?? 0
      result[name?.trimmingCharacters(in: .newlines) ?? "?", default: 0] += nanoseconds
    }
    return result
  }

  /// How often a word stands in what is new; looking is to cost next to nothing, for it takes its
  /// time from what is measured.
  private static func count(_ word: String, in tail: FileHandle) -> Int {
    let new = (try? tail.readToEnd()) ?? Data()
    return new.split(separator: 10).count { line in
      line.range(of: Data(word.utf8), options: .backwards) != nil
        && line.range(of: Data("\"machine\":\"timer".utf8)) == nil
    }
  }

  private mutating func measure(
    _ before: [String: Double], _ after: [String: Double], _ jobs: Int
  ) {
    let used = after.map {
      ($0.key, max(0, $0.value - (before[$0.key] ?? 0)) / 1000 / Double(jobs))
    }
    processorMicrosecondsPerRun = used.reduce(0) { $0 + $1.1 }
    threads = used.sorted { $0.1 > $1.1 }.filter { $0.1 >= 0.5 }
      .map { String(format: "%@ %.0f", $0.0, $0.1) }.joined(separator: ", ")
  }

  private mutating func read(_ log: URL, jobs: Int) throws {
    let decoder = JSONDecoder()
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    var ended: [String: Date] = [:]
    var due: Date?
    for bytes in try Data(contentsOf: log).split(separator: 10) {
      let line = try decoder.decode(Line.self, from: bytes)
      if let instant = line.due, line.job != nil { due = formatter.date(from: instant) }
      guard let job = line.job, line.machine?.hasPrefix("run:") == true,
        let at = formatter.date(from: line.ts)
      else { continue }
      guard line.to == "ended" else { continue }
      guard line.outcome == "succeeded" else { throw StormError(description: "\(job) failed") }
      guard ended.updateValue(at, forKey: job) == nil else {
        throw StormError(description: "\(job) ran twice")
      }
    }
    guard ended.count == jobs, let due, let last = ended.values.max() else {
      throw StormError(description: "\(ended.count) of \(jobs) jobs ran")
    }
    // From the instant at which all are due to the end of the last, as the bare loop is timed.
    startsPerSecond = Double(jobs) / last.timeIntervalSince(due)
  }
}
