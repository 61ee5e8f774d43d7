import Foundation
import Glibc
import Testing

/// Jobs beside others that hang, and beside a user who stops all processes that he can.
@Suite(.ownThreads) struct HostileNeighbourTests {
  /// `TAKT_HOSTILE` seconds, by default 2.
  private static let seconds =
    ProcessInfo.processInfo.environment["TAKT_HOSTILE"].flatMap(Double.init) ?? 2

  private static let jobCount = 20

  /// Not the user of `StuckStartTests`: each of the two would stop processes of the other.
  private static let user = "news"
  private static let hasUser = geteuid() == 0 && getpwnam(user) != nil

  private static func jobs(beside others: String) -> String {
    let ticks = (1...jobCount).map {
      "  tick\($0): {every: 200ms, overlap: allow, run: [/bin/true]}\n"
    }.joined()
    return "scheduler: {max_running: 64, shutdown_grace: 1s}\njobs:\n\(ticks)\(others)"
  }

  private struct Course {
    /// The delays of slots of the ticking jobs, in milliseconds and in order.
    var lateness: [Double]
    var verdicts: Set<String>

    func percentile(_ share: Double) -> Double {
      lateness.isEmpty ? 0 : lateness[min(lateness.count - 1, Int(Double(lateness.count) * share))]
    }
  }

  /// Runs the jobs for a while, and stops them.
  private static func course(_ jobs: String) throws -> Course {
    let folder = try TemporaryFolder()
    chmod(folder.url.path, 0o755)
    try folder.write(jobs)
    let takt = try TaktProcess(["run"], in: folder)
    takt.ignoredEvents = ["timer", "output"]
    // By slots, not by a clock of the test: each job has five a second.
    let wanted = Int(Self.seconds * 5) * Self.jobCount
    var seen = 0
    var course = Course(lateness: [], verdicts: [])
    while seen < wanted {
      let slot = try takt.line("slot \(seen)") {
        $0.event == "slot" && $0.verdict != nil && $0.job?.hasPrefix("tick") == true
      }
      seen += slot.count ?? 1
      course.verdicts.insert(slot.verdict ?? "")
      if let late = slot.late_ms { course.lateness.append(late) }
    }
    let begin = ContinuousClock.now
    #expect(try takt.stop() == 0)
    print("stopped after \(ContinuousClock.now - begin)")
    course.lateness.sort()
    return course
  }

  @Test(.enabled(if: HungMount.isAvailable && hasUser, HungMount.condition))
  func `a job on a hung mount and a hostile user take no slot from others`() throws {
    let alone = try Self.course(Self.jobs(beside: ""))
    // The hostile user uses a processor, as any user may: the cost of that is measured alone.
    let loop = try TaktProcess(
      ["-c", "while True: pass"], program: "python3", in: try TemporaryFolder())
    let busy = try Self.course(Self.jobs(beside: ""))
    loop.signal(SIGKILL)
    let mount = try HungMount(["folder/", "program", "secret"])
    let folder = try TemporaryFolder()
    try folder.write(StuckStartTests.hostile, to: "hostile.py")
    chmod(folder.url.path, 0o755)
    let hostile = try TaktProcess(["hostile.py", Self.user], program: "python3", in: folder)
    try hostile.line("the hostile user") { $0.event == "begun" }
    let beside = try Self.course(
      Self.jobs(
        beside: """
            hung: {every: 200ms, run: [/bin/true], cwd: \(mount.path("folder")), kill: {grace: 1s}}
            his: {every: 200ms, user: \(Self.user), run: [/bin/true], timeout: 1s, kill: {grace: 1s}}

          """))
    hostile.signal(SIGKILL)
    #expect(alone.verdicts == ["ran"])
    #expect(busy.verdicts == ["ran"])
    #expect(beside.verdicts == ["ran"])
    for (name, course) in [("alone", alone), ("beside a busy user", busy), ("beside them", beside)]
    {
      print(
        "\(name): \(course.lateness.count) slots, late by p50 \(course.percentile(0.5)) ms, "
          + "p99 \(course.percentile(0.99)) ms")
    }
  }
}
