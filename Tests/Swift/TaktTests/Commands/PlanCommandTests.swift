import Foundation
import Testing

/// `takt plan`: the running daemon against the file on disk, and one file against another.
@Suite(.ownThreads) struct PlanCommandTests {
  private static let before = """
    scheduler: {max_running: 4}
    jobs:
      kept: {every: 1h, run: 'true'}
      changed:
        cron: "0 3 * * *"
        env: {LEVEL: info, DB_PASSWORD: old}
        run: |
          set -e
          curl -u me:secret1 https://host/a
          echo done

    """
  private static let after = """
    scheduler: {max_running: 8}
    jobs:
      kept: {every: 1h, run: 'true'}
      changed:
        cron: "0 4 * * *"
        timeout: 5m
        env: {LEVEL: debug, DB_PASSWORD: new}
        run: |
          set -e
          curl -u me:secret2 https://host/b
          echo done

    """
  private static let shown = [
    "~ changed  rearmed", "    cron: 0 3 * * * in ", " → 0 4 * * * in ", "    timeout: none → 5m",
    "    run:\n        set -e\n      - curl -u me:*** https://host/a\n",
    "      + curl -u me:*** https://host/b\n        echo done\n", "    env.LEVEL: info → debug\n",
    "    env.DB_PASSWORD: ***, changed where it is masked\n", "~ scheduler.max_running: 4 → 8",
    "1 kept, 0 updated, 1 rearmed, 0 added, 0 removed",
  ]

  private func expect(_ output: String) {
    for text in Self.shown { #expect(output.contains(text), "\(text) in \(output)") }
    for secret in ["secret1", "secret2", ": old", ": new"] { #expect(!output.contains(secret)) }
  }

  @Test func `the daemon's jobs are compared with the file on disk, and nothing is applied`() throws
  {
    let live = try LiveTakt(Self.before)
    #expect(try live.takt("plan").output == "2 kept, 0 updated, 0 rearmed, 0 added, 0 removed\n")
    try live.folder.write(Self.after)
    for _ in 0..<2 {
      let plan = try live.takt("plan")
      #expect(plan.status == 0, "\(plan.errors)")
      expect(plan.output)
    }
    expect(try live.takt("plan", "jobs.yaml").output)
    let json = try live.takt("plan", "--json").output
    let steps = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect((steps?["steps"] as? [[String: Any]])?.first?["job"] as? String == "changed")
    #expect(!json.contains("secret1") && json.contains(#""path":"env.LEVEL""#))
    // A reload shows its plan in the same way.
    let reload = try live.takt("reload")
    expect(reload.output)
    #expect(try live.takt("plan").output.hasPrefix("2 kept"))
    #expect(try live.process.stop() == 0)
    // Many people read a log.
    let log = live.process.lines.filter { $0.event == "plan" }
    #expect(
      log.contains { $0.job == "changed" && $0.cause == "run" && $0.from == nil && $0.to == nil })
    #expect(log.contains { $0.cause == "timeout" && $0.to == "5m" })
  }

  @Test func `a warning is shown by each plan, also of a job that has not changed`() throws {
    let jobs = """
      jobs:
        plain: {every: 1h, run: 'true'}
        doubtful: {cron: '0 0 13 * 5', run: 'true'}

      """
    let live = try LiveTakt(jobs)
    for file in [jobs, jobs + "  # a comment\n", jobs + "  more: {every: 2h, run: 'true'}\n"] {
      try live.folder.write(file)
      for _ in 0..<2 {
        let plan = try live.takt("plan")
        #expect(plan.status == 0 && plan.errors.contains("jobs.yaml:3:"), "\(plan)")
        #expect(plan.output.contains("+ more") == file.contains("more"), "\(plan)")
      }
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `a file with errors is refused as a reload would refuse it`() throws {
    let live = try LiveTakt(Self.before)
    try live.folder.write("jobs: {a: {evry: 1h, run: x}}\n")
    let plan = try live.takt("plan")
    #expect(plan.status == 78 && plan.errors.contains("did you mean 'every'?"), "\(plan)")
    #expect(try live.process.stop() == 0)
    let none = try live.takt("plan")
    #expect(none.status == 69 && none.errors.contains("no daemon is running here"))
  }

  @Test func `a text that somebody sends shows no command`() throws {
    let live = try LiveTakt(Self.before)
    let (status, text) = try live.ask("POST", "/api/v1/plan", Self.after)
    #expect(status == 200 && text.contains(#""key":"run""#) && !text.contains("https://host"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `two files are compared without a daemon`() throws {
    let folder = try TemporaryFolder()
    for (name, text) in [("old.yaml", Self.before), ("new.yaml", Self.after)] {
      try text.write(to: folder.url.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let takt = try folder.takt("plan", "old.yaml", "new.yaml")
    #expect(takt.status == 0, "\(takt.errors)")
    expect(takt.output)
  }
}
