import Foundation
import TestSupport
import Testing

/// The page and the API below a path of a real proxy, with the examples of docs/control.md.
@Suite(.serialized, .ownThreads) struct ProxyTests {
  private static let jobs = """
    jobs:
      quick: {cron: '@yearly', run: 'echo hello; sleep 1; echo done'}
      broken: {cron: '@yearly', retry: {attempts: 2, delay: 100ms}, run: 'echo oops >&2; exit 3'}
      greet:
        cron: '@yearly'
        use: log
        params:
          message: {default: hello, max_length: 40, description: What is said.}
          level: {choices: [info, notice]}

    """

  /// True if these programs are installed, or unpacked by `make proxies`.
  private static func has(_ programs: String) -> Bool {
    let unpacked = Repository.path(".build/proxies/usr")
    let path = "PATH=\"$PATH:/usr/sbin:\(unpacked)/sbin:\(unpacked)/bin\""
    let script = "\(path); for p in \(programs); do command -v $p >/dev/null || exit 1; done"
    return system(script) == 0
  }

  private static let hint = "not installed; `make test-setup` installs or unpacks it"

  private func run(behind proxy: String, path: String, _ command: [String] = []) throws {
    let live = try LiveTakt(
      Self.jobs, http: true, publicURL: "https://jobs.example.org/takt/")
    #expect(
      try live.takt("open").output == "https://jobs.example.org/takt/#token=\(live.token)\n")
    let script = Repository.path("Tests/page/proxies.py")
    let words = [script, proxy, path, "\(live.port)", live.token]
    let driving =
      command.isEmpty ? [] : ["python3", PageTests.driver, "BASE", live.token] + command
    let python = try live.folder.takt(words + driving, program: "/usr/bin/python3")
    #expect(python.status == 0, "\(python.output) \(python.errors)")
    #expect(try live.process.stop() == 0)
  }

  @Test(
    .enabled(if: has("nginx caddy apache2"), "nginx, caddy or apache2 is \(hint)"),
    arguments: ["nginx", "caddy", "apache"], ["removed", "kept"])
  func `the examples of proxies lead to all that people use`(proxy: String, path: String) throws {
    try run(behind: proxy, path: path)
  }

  @Test(
    .enabled(if: Browser.isInstalled, Browser.hint),
    .enabled(if: has("nginx"), "nginx is \(hint)"),
    arguments: ["sub-path removed", "sub-path kept", "trigger kept", "sign-in removed"])
  func `the page works below a path of a proxy`(row: String) throws {
    let words = row.components(separatedBy: " ")
    try run(behind: "nginx", path: words[1], [words[0]])
  }

  @Test(
    .enabled(if: Browser.isInstalled, Browser.hint),
    .enabled(if: PageTests.axe != nil, "axe-core is not installed; `make browser` installs it"),
    .enabled(if: has("nginx"), "nginx is \(hint)"))
  func `axe-core finds no violation below a path of a proxy`() throws {
    try run(behind: "nginx", path: "kept", ["axe", try #require(PageTests.axe)])
  }
}
