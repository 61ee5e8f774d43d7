import TaktTesting
import Testing

@testable import TaktConfig
import TaktCore

struct AccountTests {
  private func load(_ keys: String, as userID: UInt32) -> LoadedJobs {
    let folder = TemporaryFolder()
    let loader = JobsLoader(userID: userID)
    return loader.load(
      path: folder.write("jobs: {a: {on: start, run: x, \(keys)}}\n", to: "jobs.yaml"))
  }

  @Test(arguments: [
    "unknownAccount | user: »nobody-here", "unknownAccount | user: »12345",
    "unknownAccount | group: »none", "unknownAccount unknownAccount | user: »x, group: »y",
  ])
  func `a user or a group that there is not is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs:\n  a: {on: start, run: x, " + $0 + "}\n" }
  }

  @Test func `takt that is not root runs jobs only as itself`() {
    #expect(load("user: worker, group: worker", as: 1000).diagnostics == [])
    #expect(load("user: 1000", as: 1000).diagnostics == [])
    let loaded = load("user: root, group: adm", as: 1000)
    #expect(rows(loaded.diagnostics) == ["1:37 notPermitted", "1:50 notPermitted"])
    #expect(
      loaded.diagnostics.map(\.message) == [
        "takt runs as 'worker' and cannot run a job as 'root'",
        "takt runs as 'worker' and cannot run a job with the group 'adm'",
      ])
  }

  @Test func `root runs jobs as anybody`() {
    #expect(load("user: worker, group: adm, inherit_env: false", as: 0).diagnostics == [])
  }

  @Test func `a user of defaults is reported once`() {
    let loaded = TaktConfigTests.load(
      "defaults: {user: x}\njobs: {a: {on: start, run: x}, b: {on: start, run: x}}\n")
    #expect(rows(loaded.diagnostics) == ["1:18 unknownAccount"])
  }
}
