import Foundation
import Glibc
import Testing

/// The costs of runs, with the real program and a program that measures its own.
@Suite(.ownThreads) struct ResourceUseTests {
  private struct Run: Decodable {
    var run: Int
    var outcome: String?
    var cpu_ms: Double?
    var cpu_user_ms: Double?
    var cpu_system_ms: Double?
    var memory_peak: Int64?
    var read_bytes: Int64?
    var switches_voluntary: Int64?
  }

  /// A program's own figures: microseconds of processor time, and KiB.
  private struct Own {
    var microseconds: Int64
    var kib: Int64

    init(_ text: String) throws {
      let numbers = text.split(separator: " ").compactMap { Int64($0.filter(\.isNumber)) }
      try #require(numbers.count == 2, "\(text)")
      (microseconds, kib) = (numbers[0], numbers[1])
    }
  }

  /// More than takt itself ever has resident: a smaller figure would say nothing of a program.
  private static let mebibytes = 400

  /// The oldest run of a job that has ended.
  private func firstRun(of job: String, in folder: TemporaryFolder) throws -> Run {
    let process = try TaktProcess(["runs", job, "--json", "-n", "1000"], in: folder)
    let lines = try process.text().split(separator: "\n")
    #expect(process.waitForExit() == 0, "\(process.errors)")
    let runs = try lines.map { try JSONDecoder().decode(Run.self, from: Data($0.utf8)) }
    return try #require(runs.last { $0.outcome != nil })
  }

  /// The program's own figure is a part of takt's. The rest, the shell, the program's start and its
  /// end, is `extra` milliseconds if the program does nothing else, and varies.
  private func expect(
    _ run: Run, uses microseconds: Int64, and extra: Double, _ what: String
  ) throws {
    let cpu = try #require(run.cpu_ms, "\(what)")
    let own = Double(microseconds) / 1000
    #expect(cpu >= own * 0.98, "\(what): \(cpu) of \(own)")
    #expect(cpu <= own * 1.02 + 3 * extra + 20, "\(what): \(cpu) of \(own) and \(extra)")
    #expect(abs((run.cpu_user_ms ?? 0) + (run.cpu_system_ms ?? 0) - cpu) < 0.01, "\(what)")
  }

  private func expect(_ run: Run, hasPeakOf kib: Double, _ what: String) throws {
    let peak = Double(try #require(run.memory_peak, "\(what)")) / 1024
    #expect(abs(peak / kib - 1) < 0.02, "\(what): \(peak) KiB, not \(kib)")
  }

  /// Runs the jobs, each after the one before, until the last has ended. Returns the log.
  private func run(
    _ jobs: String, last: String, _ tracking: Tracking, in folder: TemporaryFolder
  ) throws -> String {
    try folder.write("jobs:\n" + jobs)
    let process = try TaktProcess.tracking(tracking, in: folder)
    var log = ""
    process.onBytes = { log += String(decoding: $0, as: UTF8.self) }
    try process.line("the last end") { $0.job == last && $0.to == "ended" }
    #expect(try process.stop() == 0)
    return log
  }

  @Test(arguments: Tracking.available)
  func `a run costs what its program says, with all processes and steps`(
    tracking: Tracking
  ) throws {
    let folder = try TemporaryFolder()
    try CostProgram.compile(in: folder)
    _ = try run(
      """
        none: {on: start, run: './cost 0 \(Self.mebibytes) > none'}
        plain: {run: './cost 400 \(Self.mebibytes) > plain', after: {job: none}}
        # Nobody waits for the program, and it may outlive the shell for a moment.
        orphan:
          run: '(./cost 400 0 > orphan &); until [ -s orphan ]; do sleep 0.02; done'
          after: {job: plain}
        steps:
          steps: [{run: './cost 200 0 > step1'}, {run: './cost 300 0 > step2'}]
          after: {job: orphan}
        builtin: {use: log, with: {message: nothing}, after: {job: steps}}
      """, last: "builtin", tracking, in: folder)

    let none = try firstRun(of: "none", in: folder)
    let noneOwn = try Own(folder.read("none"))
    let extra = try #require(none.cpu_ms) - Double(noneOwn.microseconds) / 1000
    let plain = try firstRun(of: "plain", in: folder)
    let own = try Own(folder.read("plain"))
    try expect(plain, uses: own.microseconds, and: extra, "plain")
    try expect(plain, hasPeakOf: Double(own.kib), "plain")
    #expect((plain.switches_voluntary ?? -1) >= 0 && (plain.read_bytes ?? -1) >= 0)
    // The shell starts a program for each check.
    let orphan = try firstRun(of: "orphan", in: folder)
    #expect((orphan.cpu_ms ?? 0) >= 400 * 0.98, "\(orphan)")
    let steps = try Own(folder.read("step1")).microseconds + Own(folder.read("step2")).microseconds
    try expect(try firstRun(of: "steps", in: folder), uses: steps, and: 2 * extra, "steps")
    let builtin = try firstRun(of: "builtin", in: folder)
    #expect(builtin.cpu_ms == nil && builtin.memory_peak == nil)
  }

  private static let hasTime: Bool = {
    if access("/usr/bin/time", X_OK) == 0 { return true }
    print("accounting is not compared with /usr/bin/time: it is not there (package time)")
    return false
  }()

  @Test(.enabled(if: hasTime), arguments: Tracking.available)
  func `a run costs what GNU time says of it`(tracking: Tracking) throws {
    let folder = try TemporaryFolder()
    try CostProgram.compile(in: folder)
    func job(_ milliseconds: Int, to file: String) -> String {
      "/usr/bin/time -v -o \(file) ./cost \(milliseconds) \(Self.mebibytes)"
    }
    _ = try run(
      """
        none: {on: start, run: '\(job(0, to: "none"))'}
        timed: {run: '\(job(500, to: "timed"))', after: {job: none}}
      """, last: "timed", tracking, in: folder)

    func figures(of job: String) throws -> (microseconds: Int64, kib: Double) {
      let text = folder.read(job)
      func field(_ name: String) throws -> Double {
        let line = try #require(text.split(separator: "\n").first { $0.contains(name) }, "\(text)")
        return try #require(line.split(separator: " ").last.flatMap { Double($0) })
      }
      let seconds = try field("User time") + field("System time")
      return (Int64(seconds * 1_000_000), try field("Maximum resident set size"))
    }
    let none = try firstRun(of: "none", in: folder)
    let extra = try #require(none.cpu_ms) - Double(figures(of: "none").microseconds) / 1000
    let timed = try firstRun(of: "timed", in: folder)
    let figures = try figures(of: "timed")
    // It drops parts of a hundredth of a second, in each of its two figures.
    try expect(timed, uses: figures.microseconds, and: max(extra, 0), "timed")
    try expect(timed, hasPeakOf: figures.kib, "timed")
  }

  @Test func `log, hooks, commands and status say what a run has cost`() throws {
    let folder = try TemporaryFolder()
    try CostProgram.compile(in: folder)
    let log = try run(
      """
        plain:
          on: start
          run: './cost 100 \(Self.mebibytes)'
          on_success:
            - run: 'echo $TAKT_CPU_MS $TAKT_MEMORY_PEAK > hook'
            - {use: log, with: {message: 'used {{cpu}} and {{memory}}'}}
            - {run: '\(TaktProcess.executable.path) status plain > status'}
        last: {run: 'until [ -s status ]; do sleep 0.02; done', after: {job: plain}}
      """, last: "last", .sessions, in: folder)
    let plain = try firstRun(of: "plain", in: folder)
    let end = try #require(
      log.split(separator: "\n").first {
        $0.contains(#""job":"plain""#) && $0.contains(#""to":"ended""#)
          && !$0.contains(#""hook""#)
      })
    #expect(end.contains(#""cpu_ms":"#) && end.contains(#""memory_peak":"#), "\(end)")
    let hook = folder.read("hook").split(separator: " ").map { Int64($0.filter(\.isNumber)) }
    #expect(hook.first == plain.cpu_ms.map { Int64($0) } && hook.last == plain.memory_peak)
    #expect(log.contains(/used [0-9.]+ m?s and 4[0-9]+ MB/), "\(log)")
    let status = folder.read("status")
    #expect(status.contains(/used [0-9.]+ m?s of CPU time and 4[0-9]+ MB of memory/), "\(status)")

    let long = try TaktProcess(["runs", "plain", "--long"], in: folder)
    let table = try long.text().split(separator: "\n")
    #expect(long.waitForExit() == 0)
    #expect(table[0].contains("CPU") && table[0].contains("MEMORY"))
    #expect(table[1].contains(" MB"), "\(table)")
  }
}
