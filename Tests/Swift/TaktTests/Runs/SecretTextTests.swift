import Foundation
import Glibc
import Testing

/// A secret in the jobs file, in any wrong form, which takt never shows.
@Suite(.ownThreads) struct SecretTextTests {
  private static let right = "jobs: {a: {every: 1h, run: x}}\n"

  @Test(arguments: [
    "jobs: {a: {every: 1h, run: x, secrets: {PW: hunter2}}}",
    "jobs:\n  a:\n    secrets:\n      PW: hunter2\n      PW: !hunter2 x\n      hunter2: *hunter2",
    "jobs:\n  a:\n    secrets:\n      PW: @hunter2",
    "jobs:\n  a:\n    secrets:\n      PW: \"hunter2",
    "jobs:\n  a:\n    secrets:\n    PW: hunter2", "jobs:\n  a:\n    secrets PW: hunter2",
    "jobs:\n  a:\n    secerts:\n      PW: hunter2",
    "jobs: {a: {secrets: {PW: hunter2}, every: @5}}",
    "jobs: {a: {every: 1h, run: x, env: {PW: hunter2, QW: [x]}}}",
    "jobs: {a: {every: 1h, use: http, with: {url: 'https://u:hunter2@host/'}}}",
    "jobs: {a: {every: 1h, use: http, with: {url: 'https://h/', password: hunter2, user: [x]}}}",
    "jobs: {a: {every: 1h, use: http, with: {url: 'https://h/', passwort: hunter2}}}",
  ])
  func `no output of check, plan or run shows it`(file: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.right, to: "right.yaml")
    try folder.write(file + "\n")
    for arguments in [
      ["check"], ["plan", "right.yaml", "jobs.yaml"], ["run"], ["next"],
      ["simulate", "--for", "1h"],
    ] {
      let takt = try folder.takt(arguments)
      #expect(takt.status == 78, "\(arguments)")
      #expect(
        !(takt.output + takt.errors).contains("hunter2"),
        "\(arguments): \(takt.output)\(takt.errors)")
    }
  }

  @Test func `no reload shows it, neither in the log nor in the answer`() throws {
    let takt = try LiveTakt(Self.right)
    try takt.folder.write("jobs:\n  a:\n    secrets:\n      PW: !hunter2 x\n      QW: \"hunter2\n")
    let reload = try takt.takt("reload")
    #expect(reload.status == 78, "\(reload.errors)")
    let answer = try takt.ask("POST", "/api/v1/reload").text
    let plan = try takt.ask("POST", "/api/v1/plan", takt.folder.read("jobs.yaml")).text
    #expect(try takt.process.stop() == 0)
    let all =
      [reload.output, reload.errors, answer, plan]
      + takt.process.lines.map { "\($0)" } + [takt.process.errors]
    #expect(!all.contains { $0.contains("hunter2") }, "\(all)")
  }
}
