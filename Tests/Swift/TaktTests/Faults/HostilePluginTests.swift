import Foundation
import Glibc
import Testing

/// Plugins that break the rules: each ends its own run with its own reason, and nothing else.
@Suite(.ownThreads) struct HostilePluginTests {
  private struct Row {
    var name: String
    /// A program in shell; `$HELLO` is a hello, `$RUN` the run's name.
    var script: String
    var isService = false
    var manifest = ""
    var job = ""
    var outcome = "failed"
    var reason: String
  }

  /// The start of a service in shell: it says hello and reads two lines.
  private static let greeting = #"""
    read -r hello; say '{"type":"hello","protocol":1,"capabilities":["cancel"]}'; read -r start
    RUN=$(printf '%s' "$start" | sed 's/.*"run":"\([^"]*\)".*/\1/')
    """#

  private static let rows: [Row] = [
    Row(
      name: "fakes",
      script:
        #"echo '{"type":"hello","protocol":1}'; echo '{"type":"result","status":"ok"}'; exit 3"#,
      reason: "exit(3)"),
    Row(name: "rubbish", script: #"say '{"type":'; sleep 1000"#, reason: "plugin(bad_json)"),
    Row(name: "list", script: "say '[1, 2]'; sleep 1000", reason: "plugin(bad_json)"),
    Row(
      name: "fieldless", script: #"\#(greeting); say '{"type":"result"}'; sleep 1000"#,
      reason: "plugin(bad_message)"),
    Row(
      name: "stranger",
      script: #"\#(greeting); say '{"type":"result","run":"999.1.1","status":"ok"}'; sleep 1000"#,
      reason: "plugin(wrong_run)"),
    Row(
      name: "long-line",
      script: "\(greeting); head -c 100000000 /dev/zero | tr '\\0' x >&3; sleep 1000",
      reason: "plugin(line_too_long)"),
    Row(
      name: "flood",
      script:
        #"\#(greeting); yes '{"type":"progress","percent":1}' | head -n 1000000 >&3; sleep 1000"#,
      reason: "plugin(flood)"),
    Row(
      name: "silent", script: "exec sleep 1000", job: "timeout: 300ms", outcome: "timed_out",
      reason: "timeout"),
    Row(
      name: "silent-service", script: "exec sleep 1000", isService: true,
      job: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(
      name: "deaf", script: "trap '' TERM; \(greeting); while :; do sleep 0.1; done",
      job: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(
      name: "deaf-service", script: "trap '' TERM; \(greeting); while :; do sleep 0.1; done",
      isService: true, job: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(name: "dies-first", script: "kill -9 $$", reason: "signal(9)"),
    Row(name: "dies-greeted", script: "\(greeting); kill -9 $$", reason: "signal(9)"),
    Row(
      name: "dies-later",
      script: #"\#(greeting); say '{"type":"progress","percent":5}'; kill -9 $$"#,
      reason: "signal(9)"),
    Row(
      name: "dies-last",
      script: #"\#(greeting); say '{"type":"result","status":"ok"}'; kill -9 $$"#,
      reason: "signal(9)"),
    Row(name: "service-dies-first", script: "kill -9 $$", isService: true, reason: "plugin(died)"),
    Row(
      name: "service-dies-greeted", script: "\(greeting); kill -9 $$", isService: true,
      reason: "plugin(died)"),
    Row(
      name: "leaves",
      script: #"\#(greeting); setsid sleep 1000 & say '{"type":"result","status":"ok"}'; exit 0"#,
      outcome: "succeeded", reason: "descendants_left(1)"),
    Row(name: "hangs-up", script: "\(greeting); exec 3>&-; exit 0", reason: "plugin(no_result)"),
    Row(
      name: "service-hangs-up", script: "\(greeting); exec 3>&-; sleep 1000", isService: true,
      reason: "plugin(closed)"),
    Row(
      name: "late",
      script:
        #"trap 'say "{\"type\":\"result\",\"status\":\"ok\"}"; exit 0' TERM; read -r hello; say '{"type":"hello","protocol":1}'; while :; do sleep 0.05; done"#,
      job: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(
      name: "twice",
      script:
        #"\#(greeting); say '{"type":"result","status":"ok"}'; say '{"type":"result","status":"ok"}'; sleep 1000"#,
      reason: "plugin(two_results)"),
    Row(name: "mute", script: "\(greeting); exit 0", reason: "plugin(no_result)"),
    Row(
      name: "rude", script: #"say '{"type":"result","status":"ok"}'; sleep 1000"#,
      reason: "plugin(no_hello)"),
    Row(
      name: "modern", script: #"say '{"type":"hello","protocol":2}'; sleep 1000"#,
      reason: "plugin(wrong_protocol)"),
    Row(
      name: "other", script: "exit 0", manifest: "sha256: \(String(repeating: "ab", count: 32))",
      reason: "plugin(sha256)"),
    Row(
      name: "service-rubbish", script: "\(greeting); say rubbish; sleep 1000", isService: true,
      reason: "plugin(bad_json)"),
    Row(
      name: "service-stranger",
      script: #"\#(greeting); say '{"type":"log","run":"7","message":"x"}'; sleep 1000"#,
      isService: true, reason: "plugin(wrong_run)"),
    Row(
      name: "refuses",
      script:
        #"\#(greeting); say "{\"type\":\"result\",\"run\":\"$RUN\",\"status\":\"failed\",\"reason\":\"no_luck\"}""#,
      reason: "plugin(no_luck)"),
  ]

  private static let jobCount = 100

  @Test func `each ends its own run with its own reason, and other jobs keep their grid`() throws {
    let folder = try TemporaryFolder()
    var yaml = "scheduler: {max_running: 200}\ndefaults: {kill: {grace: 300ms}}\njobs:\n"
    for row in Self.rows {
      try write(row, to: folder)
      yaml +=
        "  \(row.name): {on: start, use: \(row.name)\(row.job.isEmpty ? "" : ", " + row.job)}\n"
    }
    for index in 0..<Self.jobCount {
      yaml += "  beat\(index): {every: 200ms, use: log, with: {message: b}}\n"
    }
    try folder.write(yaml)
    let takt = try TaktProcess(["run"], in: folder)
    takt.ignoredEvents = ["timer", "output", "progress", "plan"]
    var ends: [String: TaktProcess.Line] = [:]
    while ends.count < Self.rows.count {
      let end = try takt.line("an end; still: \(Set(Self.rows.map(\.name)).subtracting(ends.keys))")
      {
        $0.to == "ended" && $0.job?.hasPrefix("beat") == false
      }
      ends[end.job ?? ""] = end
    }
    for row in Self.rows {
      #expect(ends[row.name]?.outcome == row.outcome, "\(row.name)")
      #expect(ends[row.name]?.reason == row.reason, "\(row.name)")
    }
    #expect(try takt.stop() == 0)
    checkGrid(of: takt)
    #expect(takt.children() == [:])
  }

  /// Checks that every slot of every other job is decided, and is on the job's grid.
  private func checkGrid(of takt: TaktProcess) {
    var slots: [String: [Int64]] = [:]
    for line in takt.lines where line.verdict != nil && line.job?.hasPrefix("beat") == true {
      guard let first = milliseconds(line.slot) else { continue }
      for index in 0..<Int64(line.count ?? 1) {
        slots[line.job ?? "", default: []].append(first + index * 200)
      }
    }
    #expect(slots.count == Self.jobCount)
    for (job, slots) in slots {
      let sorted = slots.sorted()
      #expect(zip(sorted.dropFirst(), sorted).allSatisfy { $0 - $1 == 200 }, "\(job)")
    }
  }

  private func write(_ row: Row, to folder: TemporaryFolder) throws {
    let plugin = folder.url.appendingPathComponent("plugins/\(row.name)")
    try FileManager.default.createDirectory(at: plugin, withIntermediateDirectories: true)
    try folder.write(
      """
      name: \(row.name)
      version: 1.0.0
      protocol: 1
      exec: [./program]
      mode: \(row.isService ? "service" : "oneshot")
      \(row.manifest)
      """, to: "plugins/\(row.name)/plugin.yaml")
    try folder.writeProgram(
      "#!/bin/sh\nsay() { printf '%s\\n' \"$1\" >&3; }\n\(row.script)\n",
      to: "plugins/\(row.name)/program")
  }
}
