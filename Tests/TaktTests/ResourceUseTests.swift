import Foundation
import Glibc
import Testing

/// What runs cost, with the real program and a program that knows what it has used.
@Suite struct ResourceUseTests {
  /// Touches so many MiB, uses the processor for so many milliseconds, and prints what it has used:
  /// microseconds, and KiB at most.
  private static let program = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/resource.h>
    static long used(struct rusage *use) {
      getrusage(RUSAGE_SELF, use);
      return (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000L + use->ru_utime.tv_usec +
             use->ru_stime.tv_usec;
    }
    int main(int count, char **words) {
      size_t bytes = strtoul(words[2], NULL, 10) << 20;
      volatile char *memory = malloc(bytes + 1);
      for (size_t index = 0; index < bytes; index += 4096) memory[index] = 1;
      struct rusage use;
      while (used(&use) < atol(words[1]) * 1000) {}
      printf("%ld %ld\\n", used(&use), use.ru_maxrss);
      return 0;
    }
    """

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

  /// More than takt itself has ever resident: less says nothing of a program.
  private static let mebibytes = 400

  private func compile(in folder: TemporaryFolder) throws {
    try folder.write(Self.program, to: "cost.c")
    let compiler = try TaktProcess(
      ["-O1", "-o", "cost", "cost.c"], program: "/usr/bin/gcc", in: folder)
    _ = try compiler.text()
    try #require(compiler.waitForExit() == 0, "\(compiler.errors)")
  }

  /// The oldest run of a job that has ended.
  private func firstRun(of job: String, in folder: TemporaryFolder) throws -> Run {
    let process = try TaktProcess(["runs", job, "--json", "-n", "1000"], in: folder)
    let lines = try process.text().split(separator: "\n")
    #expect(process.waitForExit() == 0, "\(process.errors)")
    let runs = try lines.map { try JSONDecoder().decode(Run.self, from: Data($0.utf8)) }
    return try #require(runs.last { $0.outcome != nil })
  }

  private func numbers(_ text: String) -> [Int64] {
    text.split(separator: " ").compactMap { Int64($0.filter(\.isNumber)) }
  }

  /// What the program says of itself is part of what takt counts: the shell, the program's start and
  /// its end come on top.
  private func expect(_ run: Run, near own: [Int64], _ what: String) throws {
    try #require(own.count == 2, "\(what): \(own)")
    let cpu = try #require(run.cpu_ms, "\(what)")
    let ownCPU = Double(own[0]) / 1000
    #expect(cpu >= ownCPU * 0.98 && cpu <= ownCPU * 1.02 + 150, "\(what): \(cpu), \(ownCPU)")
    #expect(abs((run.cpu_user_ms ?? 0) + (run.cpu_system_ms ?? 0) - cpu) < 0.01, "\(what)")
    if own[1] > Int64(Self.mebibytes) * 1024 {
      let peak = Double(try #require(run.memory_peak, "\(what)")) / 1024
      #expect(abs(peak / Double(own[1]) - 1) < 0.02, "\(what): \(peak), \(own[1])")
    }
  }

  @Test(arguments: Tracking.available)
  func `a run costs what its program says, in ledger, log, hooks and commands`(
    tracking: Tracking
  ) throws {
    let folder = try TemporaryFolder()
    try compile(in: folder)
    try folder.write(
      """
      defaults: {every: 1h, missed: {policy: skip}}
      jobs:
        plain:
          run: './cost 400 \(Self.mebibytes) > plain'
          on_success:
            - run: 'echo $TAKT_CPU_MS $TAKT_MEMORY_PEAK > hook'
            - {use: log, with: {message: 'used {{cpu}} and {{memory}}'}}
        # Nobody waits for the program, and it may outlive the shell for a moment.
        orphan:
          run: '(./cost 400 0 > orphan &); until [ -s orphan ]; do sleep 0.02; done'
          after: {job: plain}
        steps:
          steps: [{run: './cost 200 0 > step1'}, {run: './cost 300 0 > step2'}]
          after: {job: orphan}
        timed:
          run: '/usr/bin/time -v -o time ./cost 400 \(Self.mebibytes) > timed'
          after: {job: steps}
        builtin:
          use: log
          with: {message: nothing}
          after: {job: timed}
      """)
    let process = try TaktProcess.tracking(tracking, in: folder)
    var log = ""
    process.onBytes = { log += String(decoding: $0, as: UTF8.self) }
    try process.line("the start") { $0.message?.hasPrefix("started") == true }
    let trigger = try TaktProcess(["trigger", "plain"], in: folder)
    #expect(trigger.waitForExit() == 0, "\(trigger.errors)")
    try process.line("the last end") { $0.job == "builtin" && $0.to == "ended" }
    #expect(try process.stop() == 0)

    let plain = try firstRun(of: "plain", in: folder)
    try expect(plain, near: numbers(folder.read("plain")), "plain")
    #expect((plain.switches_voluntary ?? -1) >= 0 && (plain.read_bytes ?? -1) >= 0)
    try expect(
      try firstRun(of: "orphan", in: folder), near: numbers(folder.read("orphan")), "orphan")
    let steps = numbers(folder.read("step1"))[0] + numbers(folder.read("step2"))[0]
    try expect(try firstRun(of: "steps", in: folder), near: [steps, 0], "steps")
    let timed = try firstRun(of: "timed", in: folder)
    try expect(timed, near: numbers(folder.read("timed")), "timed")
    let time = folder.read("time")
    func field(_ name: String) throws -> Double {
      let line = try #require(time.split(separator: "\n").first { $0.contains(name) }, "\(time)")
      return try #require(line.split(separator: " ").last.flatMap { Double($0) })
    }
    let timedCPU = try field("User time") + field("System time")
    // Its figures have two places, and its own cost is takt's to count.
    #expect(abs((timed.cpu_ms ?? 0) / 1000 - timedCPU) < timedCPU * 0.02 + 0.05, "\(time)")
    let timedPeak = try field("Maximum resident set size")
    #expect(abs(Double(timed.memory_peak ?? 0) / 1024 / timedPeak - 1) < 0.02, "\(time)")

    let builtin = try firstRun(of: "builtin", in: folder)
    #expect(builtin.cpu_ms == nil && builtin.memory_peak == nil)
    let end = try #require(
      log.split(separator: "\n").first {
        $0.contains(#""job":"plain""#) && $0.contains(#""to":"ended""#)
          && !$0.contains(#""hook""#)
      })
    #expect(end.contains(#""cpu_ms":"#) && end.contains(#""memory_peak":"#), "\(end)")
    let hook = numbers(folder.read("hook"))
    #expect(hook.first == plain.cpu_ms.map { Int64($0) } && hook.last == plain.memory_peak)
    #expect(log.contains("used 4") && log.contains(" MB"), "\(log)")

    let long = try TaktProcess(["runs", "plain", "--long"], in: folder)
    let table = try long.text().split(separator: "\n")
    #expect(long.waitForExit() == 0)
    #expect(table[0].contains("CPU") && table[0].contains("MEMORY"))
    #expect(table[1].contains(" MB"), "\(table)")
  }
}
