import Foundation
import Glibc
import Testing

/// The abilities of a command, and the ends of its run.
@Suite(.ownThreads) struct RunTests {
  @Test(arguments: [
    "kill -9 $$ | failed | signal(9)",
    "exit 3 | failed | exit(3)",
    "true | succeeded | exit(0)",
    "trap '' TERM; while :; do sleep 0.02; done | timed_out | timeout",
    "sleep 4321 & exit 0 | succeeded | descendants_left(1)",
    "sleep 4321 & exit 7 | failed | exit(7)",
    "trap '' TERM; sleep 4321 & exit 0 | succeeded | descendants_left(1)",
    "head -c 100000000 /dev/zero | succeeded | exit(0)",
    "kill -STOP $$ | timed_out | timeout",
  ])
  func `a shell command ends with its own outcome and reason`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    try check(
      "run: \"\(parts[0])\"", "timeout: \(parts[1] == "timed_out" ? "500ms" : "5m")",
      outcome: parts[1], reason: parts[2])
  }

  @Test(arguments: [
    "run: [/no/such/program] | not_started(exec, ENOENT)",
    "run: [no-such-program] | not_started(exec, ENOENT)",
    "run: [/etc/passwd] | not_started(exec, EACCES)",
    "run: [/tmp] | not_started(exec, EACCES)",
    "{run: date, shell: /no/such/shell} | not_started(exec, ENOENT)",
    "{run: date, cwd: /no/such/folder} | not_started(cwd, ENOENT)",
    "{run: date, cwd: /etc/passwd} | not_started(cwd, ENOTDIR)",
  ])
  func `a command that cannot start says what could not be done`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let keys = parts[0].trimmingCharacters(in: CharacterSet(charactersIn: "{}"))
      .components(separatedBy: ", ")
    try check(keys[0], keys.count > 1 ? keys[1] : "", outcome: "failed", reason: parts[1])
  }

  /// A missing requirement of a start, and its name in the log.
  @Test(arguments: [
    "run: [/no/such/program] | '/no/such/program'", "run: [/etc/passwd] | '/etc/passwd'",
    "run: date, cwd: /no/such | '/no/such'", "run: date, shell: /no/such | '/no/such'",
    "run: date, secrets: {TOKEN: {file: /no/such}} | TOKEN",
    "use: http, with: {url: 'http://localhost/{{secret.T}}'}, secrets: {T: {file: /no/such}} | T",
  ])
  func `the output of a run that did not start says why`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        job:
          {on: start, \(parts[0]), output: {file: {path: out}},
           on_failure: {use: log, with: {message: "hook: {{output}}"}, when: output}}

      """)
    let end = try takt.line("the end of the run") { $0.job == "job" && $0.to == "ended" }
    #expect(end.reason?.hasPrefix("not_started(") == true, "\(end)")
    let hook = try takt.line("the line of the hook") { $0.hook == "on_failure" && $0.line != nil }
    #expect(try takt.stop() == 0)
    let command = try folder.takt("logs", "job")
    #expect(
      command.output.contains(parts[1]) && command.output.filter { $0 == "\n" }.count == 1,
      "\(command.output)")
    #expect(hook.line.map { $0 + "\n" } == "hook: " + command.output)
    #expect(folder.read("out") == command.output)
  }

  @Test func `the output of a run that a limit has ended says so`() throws {
    let (folder, takt) = try TaktProcess.running(
      "jobs:\n  job: {on: start, run: 'printf x; while :; do :; done', limits: {cpu: 1s}}\n")
    try takt.line("the end of the run") { $0.job == "job" && $0.to == "ended" }
    #expect(try takt.stop() == 0)
    let command = try folder.takt("logs", "job")
    #expect(command.output.hasPrefix("x\nKilled after "), "\(command.output)")
    #expect(
      command.output.hasSuffix(" `limits.cpu` ends a process after 1s.\n"), "\(command.output)")
  }

  @Test func `the output of a run whose service does not start says why`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("plugins/gone"), withIntermediateDirectories: true)
    try folder.write(
      "name: gone\nversion: 1.0.0\nprotocol: 1\nmode: service\nexec: [./program]\n",
      to: "plugins/gone/plugin.yaml")
    try folder.writeProgram("#!/bin/sh\n", to: "plugins/gone/program")
    try folder.write("jobs:\n  job: {every: 1h, use: gone}\n")
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the start") { $0.message?.hasPrefix("started; ") == true }
    try FileManager.default.removeItem(
      at: folder.url.appendingPathComponent("plugins/gone/program"))
    let trigger = try folder.takt("trigger", "job", "--wait")
    #expect(trigger.status != 0)
    #expect(try takt.stop() == 0)
    let command = try folder.takt("logs", "job")
    #expect(command.output.hasPrefix("cannot execute the program '"), "\(command.output)")
    #expect(command.output.contains("plugins/gone/program': "), "\(command.output)")
  }

  private func check(_ first: String, _ second: String, outcome: String, reason: String) throws {
    let takt = try TaktProcess.running(
      """
      jobs:
        job:
          on: start
          kill: {grace: 300ms}
          \(first)
          \(second)
        beat: {every: 100ms, use: log, with: {message: beat}}
      """
    ).process
    let end = try takt.line("the end of the run") { $0.job == "job" && $0.to == "ended" }
    #expect(end.outcome == outcome)
    #expect(end.reason == reason)
    // takt continues, and nothing of the run is left.
    try takt.line("a later beat") { $0.job == "beat" && $0.verdict == "ran" }
    #expect(takt.children().isEmpty)
    #expect(try takt.stop() == 0)
  }

  @Test func `a child starts with clean signals, its own session and no stray descriptor`() throws {
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        look:
          on: start
          env: {GREETING: "  hello "}
          run: |
            grep -E '^Sig(Blk|Ign)' /proc/self/status
            [ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] && echo leader
            echo "env $TAKT_JOB $TAKT_RUN $TAKT_ATTEMPT $TAKT_SLOT<$GREETING>"
            pwd
        descriptors: {on: start, run: [ls, /proc/self/fd]}
      """)
    let end = try takt.line("the end") { $0.job == "look" && $0.to == "ended" }
    #expect(end.outcome == "succeeded")
    if !takt.lines.contains(where: { $0.job == "descriptors" && $0.to == "ended" }) {
      try takt.line("the other end") { $0.job == "descriptors" && $0.to == "ended" }
    }
    let output = takt.lines.filter { $0.event == "output" && $0.job == "look" }.compactMap(\.line)
    #expect(output.contains("SigBlk:\t0000000000000000"))
    #expect(output.contains("SigIgn:\t0000000000000000"))
    // The fourth is the folder that ls itself has open.
    let descriptors = takt.lines.filter { $0.event == "output" && $0.job == "descriptors" }
    #expect(descriptors.compactMap(\.line) == ["0", "1", "2", "3"])
    #expect(output.contains("leader"))
    let slot = try #require(takt.lines.first { $0.verdict == "ran" }?.slot)
    #expect(output.contains("env look 1 1 \(slot)<  hello >"))
    #expect(output.contains(folder.url.resolvingSymlinksInPath().path))
    #expect(try takt.stop() == 0)
  }

  @Test func `a reader of the log that goes away, or stops reading, makes no slot late`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        flood: {every: 100ms, overlap: skip, run: "head -c 3000000 /dev/zero | tr '\\\\0' '\\\\n'"}
        beat: {every: 500ms, overlap: allow, run: "echo $TAKT_SLOT >> beats"}
      """)
    for reader in ["head -1", "exec sleep 20"] {
      try? FileManager.default.removeItem(at: folder.url.appendingPathComponent("beats"))
      let script = "exec '\(TaktProcess.executable.path)' run 2>err > >(\(reader))"
      let shell = try TaktProcess(["-c", script], program: "/bin/bash", in: folder)
      // Ten slots on their grid, each served: awaited in the file that the job writes.
      let deadline = Date() + TaktProcess.patience
      while folder.read("beats").split(separator: "\n").count < 10, Date() < deadline {
        usleep(20_000)
      }
      shell.signal(SIGTERM)
      #expect(shell.waitForExit() == 0)
      let slots = folder.read("beats").split(separator: "\n")
        .compactMap { milliseconds(String($0)) }.sorted()
      #expect(slots.count >= 10)
      #expect(zip(slots.dropFirst(), slots).allSatisfy { $0 - $1 == 500 }, "\(slots)")
      if reader == "head -1" { #expect(folder.read("err").split(separator: "\n").count == 1) }
    }
  }
}
