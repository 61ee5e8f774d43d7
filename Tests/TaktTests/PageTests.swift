import Foundation
import Testing

/// The web page in a real browser.
@Suite(.serialized) struct PageTests {
  private static let jobs = """
    jobs:
      quick: {cron: '@yearly', run: 'echo hello; sleep 1; echo done'}
      beat: {every: 2s, leeway: 500ms, run: 'true'}

    """

  private static let driver = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("page/drive.py").path

  private static let hasBrowser =
    system("command -v chromium >/dev/null && command -v chromedriver >/dev/null") == 0

  @Test(
    .enabled(if: hasBrowser, "chromium and chromedriver are not installed"),
    arguments: ["trigger", "suspend", "reload", "refused"])
  func `the page does what it is clicked for`(scenario: String) throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let settings = "scheduler: {http: {listen: 0}, shutdown_grace: 1s}\n"
    var words = [Self.driver, "http://127.0.0.1:\(live.port)", live.token, scenario]
    switch scenario {
    case "reload":
      try live.folder.write(settings + Self.jobs + "  newcomer: {every: 1h, run: 'true'}\n")
      words.append("newcomer")
    case "refused":
      try live.folder.write(settings + Self.jobs + "  newcomer: {evry: 1h, run: 'true'}\n")
    default: break
    }
    try drive(words, in: live.folder)
    #expect(try live.process.stop() == 0)
  }

  @Test(
    .enabled(if: hasBrowser, "chromium and chromedriver are not installed"),
    .enabled(if: ClusterMachines.isInstalled, "PostgreSQL is not installed"))
  func `in a cluster the page names the machine, and leads to the others`() throws {
    let cluster = try ClusterMachines(Self.jobs)
    try cluster.start("b-1.x")
    try cluster.start("a")
    let token = cluster.folder.read(".takt-a/token").trimmingCharacters(in: .whitespacesAndNewlines)
    try drive(
      [
        Self.driver, cluster.page("a"), token, "cluster",
        "machine a · cluster default · 2 machines: b-1.x", cluster.page("b-1.x") + "/",
      ], in: cluster.folder)
  }

  private func drive(_ words: [String], in folder: TemporaryFolder) throws {
    let python = try TaktProcess(words, program: "/usr/bin/python3", in: folder)
    let text = try python.text()
    #expect(python.waitForExit() == 0, "\(text) \(python.errors)")
  }
}
