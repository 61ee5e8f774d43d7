import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Jobs with the same keys share their work; that must have no effect.
struct EqualJobsTests {
  private static let defaults = "defaults: {timeout: 1m, env: {A: x}}"

  /// Compares each job with the one in a file of its own.
  @Test(arguments: [
    "every: 90m, leeway: 30s, run: one", "every: 90m, leeway: 30s, run: 'two'",
    "run: three, leeway: 30s, every: 90m, description: of three",
    "every: 90m, leeway: 30s, run: [argv, '']", "every: '90m', leeway: 30s, run: quoted",
    "cron: '0 3 * * *', run: x", "cron: 'H 3 * * *', run: x", "cron: '@hourly', run: x",
    "every: 1h, spread: 10m, run: x", "every: 1h, run: x, timeout: null",
    "every: 1h, run: x, overlap: queue", "every: 1h, run: x, env: {B: y}",
    "after: [{job: first}], run: x", "every: 1h, steps: [{run: a}, {run: b}]",
    "every: 1h, use: log",
  ])
  func `a job among others of its kind is the job that it is alone`(keys: String) throws {
    let jobs = try #require(
      load(
        """
        \(Self.defaults)
        jobs:
          first: {\(keys.replacing("first", with: "other"))}
          other: {every: 90m, leeway: 30s, run: something else, description: more}
          second: {\(keys)}
          third: {\(keys)}

        """
      ).snapshot?.jobs)
    for job in jobs where ["second", "third"].contains(job.name.text) {
      let alone = try #require(
        load(
          """
          \(Self.defaults)
          jobs:
            \(job.name): {\(keys)}
            first: {on: start, run: x}

          """
        ).snapshot?.jobs.first)
      #expect(job.inFolder("/") == alone.inFolder("/"))
    }
  }

  @Test func `what is wrong in a job is said however many like it are right`() {
    let loaded = load(
      """
      jobs:
        a: {every: 1h, run: x}
        b: {every: 1h, run: ''}
        c: {every: 1h, run: ~}
        d: {every: 1h, run: x, description: [no, text]}
        e: {every: 1h, run: x, descripton: d}
        a b: {every: 1h, run: x}
        a: {every: 1h, run: x}

      """)
    #expect(loaded.snapshot == nil)
    #expect(
      rows(loaded.diagnostics) == [
        "3:23 badValue", "4:23 wrongType", "5:39 wrongType", "6:26 unknownKey", "7:3 badName",
        "8:3 duplicateKey",
      ])
  }

  @Test func `what is doubtful is said of each job of a kind`() {
    let loaded = load(
      """
      jobs:
        a: {cron: '0 0 13 * 5', run: x}
        b: {cron: '0 0 13 * 5', run: y}

      """)
    #expect(rows(loaded.diagnostics) == ["2:13 suspicious", "3:13 suspicious"])
  }

  @Test func `a kind holds for its file alone`() throws {
    let folder = TemporaryFolder()
    _ = folder.write("jobs: {b: {every: 1h, run: x}}\n", to: "other.yaml")
    let main = folder.write(
      "include: other.yaml\ndefaults: {timeout: 5s}\njobs: {a: {every: 1h, run: x}}\n",
      to: "jobs.yaml")
    let jobs = try #require(loader.load(path: main).snapshot?.jobs)
    #expect(jobs.map(\.execution.timeout) == [.seconds(5), nil])
  }
}
