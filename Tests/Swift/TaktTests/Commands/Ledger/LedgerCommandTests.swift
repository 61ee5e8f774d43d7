import Foundation
import Glibc
import Testing

@Suite(.ownThreads) struct LedgerCommandTests {
  @Test(arguments: ["", "-wal", "-shm", "-journal", "/../unwritten"])
  func `commands wait at no file that is not a regular one`(suffix: String) throws {
    let (folder, process) = try TaktProcess.running("jobs: {a: {every: 100ms, run: 'true'}}\n")
    try process.line("an end") { $0.job == "a" && $0.to == "ended" }
    #expect(try process.stop() == 0)
    let name = suffix.hasPrefix("/") ? "unwritten" : "ledger.sqlite" + suffix
    let path = folder.url.appendingPathComponent(".takt/\(name)").path
    let kinds: [(String, () -> Int32)] = [
      ("a FIFO", { mkfifo(path, 0o600) }), ("a folder", { mkdir(path, 0o700) }),
      ("a device", { geteuid() == 0 ? mknod(path, S_IFCHR | 0o600, 0x105) : 1 }),
      ("a link to a FIFO", { symlink("/dev/zero", path) }),
    ]
    for (kind, make) in kinds {
      try? FileManager.default.removeItem(atPath: path)
      guard make() == 0 else { continue }
      var commands = [["verify"]]
      if name != "unwritten" { commands += [["runs"], ["logs", "a"], ["why", "a"]] }
      for words in commands {
        let command = try folder.takt(words)
        #expect(command.status == 66, "\(kind), \(words): \(command.errors)")
        let reason = kind.hasPrefix("a link") ? "symbolic link" : "regular file"
        #expect(command.errors.contains("cannot be read: it is"), "\(kind): \(command.errors)")
        #expect(command.errors.contains(reason), "\(kind), \(words): \(command.errors)")
      }
      let daemon = try folder.takt("run")
      #expect(daemon.status == 73, "\(kind): \(daemon.errors)")
    }
  }

  @Test func `a ledger that became empty is no ledger without mistakes`() throws {
    let folder = try TemporaryFolder("jobs: {a: {every: 100ms, run: 'true'}}\n")
    for isFirst in [true, false] {
      let process = try TaktProcess(["run"], in: folder)
      try process.line("an end") { $0.job == "a" && $0.to == "ended" }
      #expect(try process.stop() == 0)
      let lost = process.lines.contains {
        $0.message?.contains("is empty (0 bytes), although") == true
      }
      #expect(lost == !isFirst)
      let verify = try folder.takt("verify")
      #expect(verify.status == (isFirst ? 0 : 1), "\(verify)")
      if !isFirst {
        #expect(verify.output.contains("verdicts (the ledger was empty at a start)"), "\(verify)")
        #expect(verify.output.contains("and others that cannot be counted"), "\(verify)")
      }
      truncate(folder.url.appendingPathComponent(".takt/ledger.sqlite").path, 0)
      let empty = try folder.takt("verify")
      #expect(empty.status == 66 && empty.errors.contains("is empty (0 bytes)"), "\(empty)")
    }
  }

  @Test func `runs, logs and verify tell of a life of takt, and of two`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        good: {every: 100ms, run: 'echo well done'}
        bad: {every: 150ms, run: 'echo oh no >&2; exit 3', on_failure: {run: 'true'}}
      """)
    var log = ""
    for _ in 0..<2 {
      let process = try TaktProcess(["run"], in: folder)
      process.onBytes = { log += String(decoding: $0, as: UTF8.self) }
      for job in ["good", "bad", "good"] {
        try process.line("an end") { $0.job == job && $0.to == "ended" }
      }
      #expect(try process.stop() == 0)
    }
    try folder.write(log, to: "log")

    let verify = try folder.takt("verify", "--log", "log")
    #expect(verify.status == 0, "\(verify)")
    #expect(verify.output.hasPrefix("slots "))
    #expect(verify.output.contains("every slot of 2 jobs is accounted for, since the first load"))
    #expect(verify.output.contains("transitions, all of them valid"))

    let runs = try folder.takt("runs", "bad", "-n", "3")
    #expect(runs.status == 0)
    let lines = runs.output.split(separator: "\n")
    #expect(lines.count >= 3)
    #expect(
      lines[0].hasPrefix("RUN") && lines[1].contains("failed") && lines[1].contains("exit(3)"))
    #expect(!runs.output.contains("on_failure"))
    #expect(try folder.takt("runs", "bad", "--hooks").output.contains("bad (on_failure)"))
    #expect(!(try folder.takt("runs", "--failed").output.contains("good")))
    let json = try folder.takt("runs", "good", "--json", "-n", "1")
    #expect(
      json.output.contains(#""job":"good""#) && json.output.contains(#""outcome":"succeeded""#))

    let logs = try folder.takt("logs", "good")
    #expect(logs.output == "well done\n")
    #expect(logs.errors.contains(" of good, slot "))
    let wrong = try folder.takt("runs", "goo")
    #expect(wrong.status == 64)
    #expect(wrong.errors.contains("the ledger has no job 'goo'; did you mean 'good'?"))
    #expect(try folder.takt("logs", "99999").status == 64)

    try folder.write(
      log.split(separator: "\n").filter { !$0.contains(#""seq":2,"#) }.joined(separator: "\n")
        + "\n", to: "cut")
    let cut = try folder.takt("verify", "--log", "cut")
    #expect(cut.status == 1)
    #expect(cut.output.contains("follows number 1"))
    try folder.write("hello\n", to: "none")
    let none = try folder.takt("verify", "--log", "none")
    #expect(none.status == 65)
    #expect(none.errors.contains("none:1: not a line of a JSON log"))
  }

  @Test func `a second daemon on a state folder learns which one has it`() throws {
    let (folder, first) = try TaktProcess.running("jobs:\n  a: {every: 1h, run: 'true'}\n")
    try first.line("the start") { $0.message == "started; jobs: 1" }
    let second = try folder.takt("run")
    #expect(second.status == 73)
    #expect(second.errors.contains("is in use by takt "))
    #expect(second.errors.contains("pid \(first.pid)"))
    #expect(try folder.takt("verify").status == 0)
    #expect(try first.stop() == 0)
  }

  @Test func `without a state folder that can be written takt continues, and says so once`() throws
  {
    let process = try TaktProcess.running(
      """
      scheduler: {state: /proc/nothing}
      jobs:
        a: {every: 50ms, run: 'true'}
        b: {every: 50ms, run: 'true', delivery: at_most_once}
      """
    ).process
    try process.line("the remark") {
      $0.event == "ledger" && $0.message?.contains("/proc/nothing cannot be written") == true
    }
    try process.line("a run") { $0.job == "a" && $0.verdict == "ran" }
    try process.line("a slot that nobody can claim") {
      $0.job == "b" && $0.verdict == "skipped" && $0.reason == "ledger"
    }
    #expect(try process.stop() == 0)
    #expect(!process.lines.contains { $0.job == "b" && $0.verdict == "ran" })
  }

  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func `commands find the daemon of a jobs file in a read-only folder`() throws {
    let folder = try TemporaryFolder()
    let script = """
      mkdir jobs run && chmod 700 run && export XDG_RUNTIME_DIR="$PWD/run" || exit 99
      echo 'jobs: {a: {on: start, run: "echo ran"}}' >jobs/jobs.yaml
      mount --bind jobs jobs && mount -o remount,bind,ro jobs && cd jobs || exit 99
      "$1" run >../log & daemon=$!
      until "$1" status --json >/dev/null 2>&1; do kill -0 $daemon || exit 98; done
      "$1" status a | head -1
      "$1" status | grep -c 'the state folder .* cannot be written'
      "$1" suspend a 2>&1 | grep -c 'a crash of takt would undo it'
      kill $daemon; wait $daemon
      """
    let shell = try TaktProcess(
      ["--mount", "sh", "-c", script, "sh", TaktProcess.executable.path],
      program: "/usr/bin/unshare", in: folder)
    let text = try shell.text()
    #expect(text.hasPrefix("a: ") && text.hasSuffix("\n1\n1\n"), "\(text)")
    #expect(shell.waitForExit() == 0)
  }

  @Test func `with no state there is no folder, and what needs one is refused`() throws {
    let (folder, process) = try TaktProcess.running(
      "scheduler: {state: none}\njobs:\n  a: {every: 50ms, run: 'true'}\n")
    try process.line("a run") { $0.verdict == "ran" }
    #expect(try process.stop() == 0)
    #expect(
      !FileManager.default.fileExists(atPath: folder.url.appendingPathComponent(".takt").path))
    let verify = try folder.takt("verify")
    #expect(verify.status == 78)
    #expect(verify.errors.contains("state: none"))
    try folder.write(
      """
      scheduler: {state: none}
      jobs:
        a:
          every: 1s
          run: x
          delivery: at_least_once
      """)
    let check = try folder.takt("check")
    #expect(check.status == 78)
    #expect(
      check.errors.contains("jobs.yaml:6:15: error: 'delivery: at_least_once' needs a ledger"))
  }

  /// True if a process lives; one that is not reaped does not.
  private func isAlive(_ pid: pid_t) -> Bool {
    let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.first.map { $0 != "Z" } ?? false
  }

  @Test func `what a killed daemon has left running is ended before the next one starts`() throws {
    let folder = try TemporaryFolder()
    // One that ignores TERM, and one in a session of its own: only the attempt's control group
    // identifies that one, and without a group it is left alone.
    try folder.write(
      """
      jobs:
        a:
          on: start
          run: |
            trap '' TERM
            setsid sh -c 'echo $$ > child; exec sleep 1000' &
            echo $$ > parent
            while :; do sleep 0.1; done
        stranger: {every: 1h, run: 'true'}
      """)
    let first = try TaktProcess(["run"], in: folder)
    try first.line("the run") { $0.job == "a" && $0.to == "running" }
    func pid(_ name: String) throws -> pid_t {
      for _ in 0..<12_000 {
        if let pid = pid_t(folder.read(name).trimmingCharacters(in: .whitespacesAndNewlines)) {
          return pid
        }
        usleep(5000)
      }
      throw TaktProcess.Silence(description: "no \(name)")
    }
    let pids = [try pid("parent"), try pid("child")]
    // The ledger has written the run once it is in the answer.
    var isKnown = false
    while !isKnown { isKnown = try folder.takt("runs", "a").output.contains("running") }
    first.crash()
    for pid in pids { #expect(isAlive(pid)) }
    try folder.write("jobs:\n  stranger: {every: 1h, run: 'true'}\n")
    let second = try TaktProcess(["run"], in: folder)
    try second.line("the start") { $0.message == "started; jobs: 1" }
    #expect(!isAlive(pids[0]))
    let ended = second.lines.filter {
      $0.message?.hasPrefix("Ended leftover processes of the previous daemon") == true
    }
    #expect(ended.count == 1)
    if isAlive(pids[1]) {
      let spared = second.lines.first { $0.message?.hasPrefix("Left alone, because") == true }
      #expect(spared?.message?.contains("(\(pids[1]))") == true)
      kill(pids[1], SIGKILL)
    }
    #expect(try second.stop() == 0)
    #expect(try folder.takt("runs", "a").output.contains("interrupted"))
    // Its end was not seen, so that its duration is unknown.
    let line = try folder.takt("runs", "a", "--json").output.split(separator: "\n")
      .first { $0.contains("interrupted") }
    #expect(line?.contains("duration_ms") == false, "\(line ?? "")")
  }

  @Test func `an anchor survives, and a reload and its refusal are in the ledger`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 200ms, run: 'true'}\n")
    func slots(_ process: TaktProcess) throws -> [Int64] {
      try (0..<3).map { _ in
        let line = try process.line("a slot") { $0.verdict == "ran" }
        return try #require(milliseconds(line.slot))
      }
    }
    let first = try TaktProcess(["run"], in: folder)
    let before = try slots(first)
    try folder.write("jobs:\n  a: {evry: 200ms, run: 'true'}\n")
    first.signal(SIGHUP)
    try first.line("the refusal") { $0.message?.hasPrefix("not reloaded") == true }
    #expect(try first.stop() == 0)
    try folder.write("jobs:\n  a: {every: 200ms, run: 'true'}\n")
    let second = try TaktProcess(["run"], in: folder)
    let after = try slots(second)
    #expect(try second.stop() == 0)
    for slot in after { #expect((slot - before[0]) % 200 == 0) }
    #expect(
      second.lines.contains {
        $0.message?.hasPrefix("continues from the previous daemon") == true
      })
    #expect(try folder.takt("verify").status == 0)
  }
}
