import Foundation
import TestSupport
import Testing

/// Chromium, as a test drives it.
enum Browser {
  static let isInstalled =
    system("command -v chromium >/dev/null && command -v chromedriver >/dev/null") == 0
  static let hint: Comment = "chromium and chromedriver are not installed"
}

/// The web page in a real browser.
@Suite(.enabled(if: Browser.isInstalled, Browser.hint), .serialized, .ownThreads)
struct PageTests {
  private static let jobs = """
    jobs:
      quick: {cron: '@yearly', run: 'echo hello; sleep 1; echo done'}
      beat: {every: 2s, leeway: 500ms, run: 'true'}
      greet:
        cron: '@yearly'
        use: log
        params:
          message: {default: hello, max_length: 40, description: What is said.}
          level: {choices: [info, notice]}

    """

  /// Jobs of an operator on call: one that fails, one that hangs, one that prints.
  private static let onCall = #"""
    jobs:
      beat: {every: 2s, run: 'true'}
      broken:
        description: Fails each time
        cron: '@yearly'
        tags: [night]
        retry: {attempts: 2, delay: 100ms}
        run: |
          echo "attempt $TAKT_ATTEMPT"
          printf '\033[31mred\033[0m <b>bold</b>\n'
          echo oops >&2
          exit 3
      slow: {cron: '@yearly', tags: [night], overlap: allow, run: 'sleep 600'}
      stuck: {every: 1s, tags: [day], run: 'sleep 600'}
      lined: {cron: '@yearly', overlap: queue, run: 'sleep 600'}
      instant: {cron: '@yearly', overlap: allow, run: 'true'}
      counter:
        cron: '@yearly'
        output: {keep: 1MB}
        env: {LANGUAGE: de}
        on_failure: {run: 'true'}
        run: 'for i in $(seq 6000); do echo "line $i"; done'
      talker: {cron: '@yearly', run: 'for i in $(seq 600); do echo "line $i"; sleep 0.05; done'}

    """#

  static let driver = Repository.path("Tests/page/drive.py")

  /// axe-core, if `make browser` could install it.
  static let axe: String? = {
    let folder = Repository.url(".build/page-venv/lib")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return files?.lazy.compactMap { $0 as? URL }.first { $0.lastPathComponent == "axe.min.js" }?
      .path
  }()

  /// Drives the page through a scenario.
  private func drive(_ live: LiveTakt, _ scenario: String, _ more: String...) throws {
    try Self.drive(live, scenario, more)
  }

  static func drive(_ live: LiveTakt, _ scenario: String, _ more: [String]) throws {
    let words = [driver, "http://127.0.0.1:\(live.port)", live.token, scenario] + more
    let python = try live.folder.takt(words, program: "/usr/bin/python3")
    #expect(python.status == 0, "\(python.output) \(python.errors)")
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: ["trigger", "suspend", "reload", "refused"])
  func `the page does what it is clicked for`(scenario: String) throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let settings = "scheduler: {http: {listen: 0}, shutdown_grace: 1s}\n"
    switch scenario {
    case "reload":
      try live.folder.write(settings + Self.jobs + "  newcomer: {every: 1h, run: 'true'}\n")
      try drive(live, scenario, "newcomer")
    case "refused":
      try live.folder.write(settings + Self.jobs + "  newcomer: {evry: 1h, run: 'true'}\n")
      try drive(live, scenario)
    default: try drive(live, scenario)
    }
  }

  @Test(
    arguments: [
      "job", "progress", "runs", "output", "long", "overview", "timeline", "sign-in", "keyboard",
      "keyboard-day", "hung", "states", "waiting", "narrow", "slots",
    ])
  func `the page serves somebody on call`(scenario: String) throws {
    try drive(try LiveTakt(Self.onCall, http: true), scenario)
  }

  @Test func `the plan shows the lines of a command that change`() throws {
    func jobs(_ lines: [String]) -> String {
      "jobs:\n  long:\n    cron: '@yearly'\n    run: |\n"
        + lines.map { "      echo \($0)\n" }.joined()
    }
    let live = try LiveTakt(jobs((1...8).map(String.init)), http: true)
    try live.folder.write(
      "scheduler: {http: {listen: 0}, shutdown_grace: 1s}\n"
        + jobs(["1", "2", "3", "four", "more", "5", "6", "7", "8"]))
    try drive(live, "lines")
  }

  @Test func `a job without a success in time is shown as stale`() throws {
    let jobs = """
      jobs:
        calm: {cron: '@yearly', run: 'true'}
        nightly: {cron: '@yearly', run: 'true', expect_success_within: 1s}

      """
    try drive(try LiveTakt(jobs, http: true), "stale")
  }

  @Test func `a job whose hook fails says so`() throws {
    let jobs = """
      jobs:
        calm: {cron: '@yearly', run: 'true'}
        nightly: {cron: '@yearly', run: 'true', on_success: {run: exit 9}}

      """
    try drive(try LiveTakt(jobs, http: true), "problems")
  }

  @Test func `the jobs of one definition are one row that opens`() throws {
    let jobs = """
      jobs:
        beat: {cron: '@yearly', run: 'true'}
        backup:
          for_each: {tenant: [acme, globex, initech]}
          cron: '@yearly'
          run: 'test {{each.tenant}} != globex'

      """
    try drive(try LiveTakt(jobs, http: true), "fold")
  }

  @Test func `a name that every object of JavaScript has breaks nothing on the page`() throws {
    let names = ["constructor", "toString", "valueOf", "hasOwnProperty"]
    let jobs = names.map { "  \($0): {cron: '@yearly', run: 'true'}\n" }.joined()
    try drive(try LiveTakt("jobs:\n" + jobs, http: true), "names")
  }

  @Test func `the timeline shows that takt hung although nothing was due`() throws {
    try drive(try LiveTakt("jobs: {rare: {cron: '@yearly', run: 'true'}}\n", http: true), "hung")
  }

  @Test func `the timeline of many jobs starts with those that fail`() throws {
    let many = (0..<80).map { "  job-\($0): {cron: '@yearly', run: 'true'}\n" }.joined()
    let jobs = "jobs:\n\(many)  zz-broken: {cron: '@yearly', run: 'exit 3'}\n"
    try drive(try LiveTakt(jobs, http: true), "lanes")
  }

  @Test func `the timeline goes to any time, and its axis stays in view`() throws {
    let many = (0..<80).map { "  job-\($0): {cron: '@yearly', run: 'true'}\n" }.joined()
    let jobs = "jobs:\n\(many)  broken: {cron: '@yearly', run: 'exit 3'}\n"
    try drive(try LiveTakt(jobs, http: true), "moves")
  }

  @Test func `the page offers nothing that a token for reading may not do`() throws {
    let live = try LiveTakt(Self.onCall, http: true, readToken: "reader")
    let reader = live.folder.read("reader").trimmingCharacters(in: .whitespacesAndNewlines)
    try live.folder.write(
      "scheduler: {http: {listen: 0, read_token_file: reader}, shutdown_grace: 1s}\n"
        + Self.onCall + "  newcomer: {every: 1h, run: 'true'}\n")
    try drive(live, "read-only", reader)
  }

  @Test(.enabled(if: axe != nil, "axe-core is not installed; `make browser` installs it from PyPI"))
  func `axe-core finds no violation on the page`() throws {
    let group = "  tenant: {for_each: {name: [acme, globex]}, cron: '@yearly', run: 'true'}\n"
    try drive(try LiveTakt(Self.onCall + group, http: true), "axe", try #require(Self.axe))
  }

  @Test(.enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"))
  func `the page shows the machines of a cluster, and leads to the others`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("b-1.x")
    try cluster.start("a")
    let token = cluster.folder.read(".takt-a/token").trimmingCharacters(in: .whitespacesAndNewlines)
    try drive(
      [
        Self.driver, cluster.page("a"), token, "cluster", "a", "b-1.x",
        cluster.page("b-1.x") + "/",
      ], in: cluster.folder)
  }

  private func drive(_ words: [String], in folder: TemporaryFolder) throws {
    let python = try folder.takt(words, program: "/usr/bin/python3")
    #expect(python.status == 0, "\(python.output) \(python.errors)")
  }
}
