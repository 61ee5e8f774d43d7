import Foundation
import Glibc
import Testing

/// Processes that hang before their program starts.
@Suite(.ownThreads) struct StuckStartTests {
  /// A user of the system whom no other test uses: the hostile one stops all his processes.
  private static let user = "uucp"
  private static let hasUser = geteuid() == 0 && getpwnam(user) != nil

  /// Jobs that each hang in another place, beside one that does not.
  private static func jobs(_ mount: HungMount, _ folder: TemporaryFolder) throws -> String {
    try folder.writeProgram("#!\(mount.path("interpreter"))\n", to: "script")
    return """
      jobs:
        tick: {every: 500ms, overlap: allow, run: [/bin/true]}
        folder: {every: 200ms, run: [/bin/true], cwd: \(mount.path("folder"))}
        program: {every: 200ms, run: [\(mount.path("program"))]}
        interpreter: {every: 200ms, run: [\(folder.url.path)/script]}
        shell: {every: 200ms, run: "true", shell: [\(mount.path("program")), -c]}

      """
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition), arguments: Tracking.available)
  func `a start on a file system that never answers ends its own run alone`(
    tracking: Tracking
  ) throws {
    let mount = try HungMount(["folder/", "program", "interpreter"])
    let folder = try TemporaryFolder()
    try folder.write(try Self.jobs(mount, folder))
    let takt = try TaktProcess.tracking(tracking, in: folder)
    var waiting: Set = ["folder", "program", "interpreter", "shell"]
    // The first run of each is given up, and the next one does not even start.
    for round in 1...2 {
      waiting = ["folder", "program", "interpreter", "shell"]
      while !waiting.isEmpty {
        let end = try takt.line("round \(round): \(waiting)") {
          $0.to == "ended" && $0.job.map(waiting.contains) == true
        }
        #expect(end.outcome == "failed")
        #expect(end.reason == "not_started(spawn_stuck)")
        waiting.remove(end.job ?? "")
      }
    }
    let ends = takt.lines.filter { $0.job == "tick" && $0.to == "ended" }
    #expect(ends.count > 10)
    #expect(ends.allSatisfy { $0.reason == "exit(0)" })
    let verdicts = takt.lines.filter { $0.job == "tick" && $0.verdict != nil }
    #expect(verdicts.allSatisfy { $0.verdict == "ran" })

    // When it answers again, the hung processes end, and the jobs start again.
    mount.comeBack()
    try takt.line("another start") {
      $0.job == "program" && $0.reason == "not_started(exec, ENOENT)"
    }
    mount.hangAgain()
    let hanging = try takt.line("a run that hangs") { $0.job == "folder" && $0.to == "running" }
    #expect(hanging.job == "folder")
    #expect(try takt.stop() == 0)
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `timeout, cancel and stop end a run whose process hangs`() throws {
    let mount = try HungMount(["folder/"])
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        late: {on: start, run: "true", cwd: \(mount.path("folder")), timeout: 200ms, kill: {grace: 100ms}}
        stopped: {on: start, run: "true", cwd: \(mount.path("folder")), kill: {grace: 100ms}}

      """)
    let late = try takt.line("the timeout") { $0.job == "late" && $0.to == "ended" }
    #expect(late.outcome == "timed_out")
    let cancel = try TaktProcess(["cancel", "stopped"], in: folder)
    #expect(cancel.waitForExit() == 0)
    let stopped = try takt.line("the cancel") { $0.job == "stopped" && $0.to == "ended" }
    #expect(stopped.outcome == "cancelled")
    #expect(try takt.stop() == 0)
  }

  @Test(.enabled(if: HungMount.isAvailable, HungMount.condition))
  func `a hook tells of a start that hangs, although the job's folder does`() throws {
    let mount = try HungMount(["folder/"])
    let (folder, takt) = try TaktProcess.running(
      """
      jobs:
        stuck:
          on: start
          run: [/bin/true]
          cwd: \(mount.path("folder"))
          on_failure: [{run: "echo told of $TAKT_REASON"}]

      """)
    try takt.line("the hook") { $0.line == "told of not_started(spawn_stuck)" }
    let metrics = try folder.takt(
      ["-s", "--unix-socket", ".takt/control.sock", "http://localhost/metrics"], program: "curl")
    #expect(metrics.output.contains("takt_process_starts_stuck 1\n"))
    #expect(metrics.output.contains("takt_process_starts_ready 1\n"))
    mount.unmount()
    #expect(try takt.stop() == 0)
  }

  /// Repeatedly stops all processes of a user, even while they are being started.
  static let hostile = #"""
    import os, pwd, signal, sys
    user = pwd.getpwnam(sys.argv[1])
    os.setgroups([])
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
    print('{"ts": "", "level": "", "event": "begun"}', flush=True)
    while True:
        try:
            os.kill(-1, signal.SIGSTOP)
        except ProcessLookupError:
            pass
    """#

  @Test(.enabled(if: hasUser, "another user takes root"))
  func `a user who stops his own processes keeps no other job waiting`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.hostile, to: "hostile.py")
    try folder.write(
      """
      scheduler: {max_running: 32}
      jobs:
        tick: {every: 200ms, overlap: allow, run: [/bin/true]}
        his:
          {every: 10ms, from: end, user: \(Self.user), run: [/bin/true], timeout: 300ms, kill: {grace: 50ms}}

      """)
    chmod(folder.url.path, 0o755)
    let hostile = try TaktProcess(["hostile.py", Self.user], program: "python3", in: folder)
    try hostile.line("the hostile user") { $0.event == "begun" }
    let takt = try TaktProcess(["run"], in: folder)
    for _ in 1...40 {
      let end = try takt.line("a run of his") { $0.job == "his" && $0.to == "ended" }
      // It may have been stopped before its program started, afterwards, or not at all.
      #expect(end.outcome == "succeeded" || end.outcome == "timed_out" || end.outcome == "failed")
    }
    let verdicts = takt.lines.filter { $0.job == "tick" && $0.verdict != nil }
    #expect(verdicts.count > 3)
    #expect(verdicts.allSatisfy { $0.verdict == "ran" })
    #expect(try takt.stop() == 0)
    hostile.signal(SIGKILL)
  }
}
