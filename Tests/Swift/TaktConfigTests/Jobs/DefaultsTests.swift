import TaktCore
import Testing

@testable import TaktConfig
import TaktTime

struct DefaultsTests {
  private let text = """
    defaults:
      qos: utility
      timeout: 10m
      env: {A: one, B: two}
      kill: {signal: INT, grace: 3s}
      shell: [bash, -c]
      leeway: 1s
      overlap: allow
      enabled: false
      cwd: /srv
    """

  @Test func `a job has what defaults give`() throws {
    let job = try spec("every: 5s, run: x", before: text)
    #expect(
      job.execution
        == Execution(
          shell: ["bash", "-c"], environment: ["A": "one", "B": "two"], directory: "/srv",
          timeout: .seconds(600), stop: StopPolicy(signal: .interrupt, grace: .seconds(3)),
          qos: .utility))
    #expect(job.timing.leeway == .duration(.seconds(1)))
    #expect(job.overlap == .allow)
    #expect(!job.timing.isEnabled)
  }

  @Test func `a job's own keys win, and maps merge by one level`() throws {
    let job = try spec(
      "every: 5s, run: x, qos: background, env: {B: 2, C: 3}, kill: {grace: 1s}, shell: /bin/zsh",
      before: text)
    #expect(job.execution.qos == .background)
    #expect(job.execution.environment == ["A": "one", "B": "2", "C": "3"])
    #expect(job.execution.stop == StopPolicy(signal: .interrupt, grace: .seconds(1)))
    #expect(job.execution.shell == ["/bin/zsh", "-c"])
  }

  @Test func `a job without a say in it has a shell as defaults want it`() throws {
    let off = "defaults: {direct: false}\n"
    #expect(try spec("every: 5s, run: x", before: off).execution.isDirect == false)
    #expect(try spec("every: 5s, run: x, direct: true", before: off).execution.isDirect)
    #expect(try spec("every: 5s, run: x, direct: null", before: off).execution.isDirect)
    #expect(try spec("every: 5s, run: x").execution.isDirect)
  }

  @Test func `null takes away what defaults give`() throws {
    let job = try spec(
      "every: 5s, run: x, timeout: null, env: {A: null}, kill: {signal: null}, leeway: null",
      before: text)
    #expect(job.execution.timeout == nil)
    #expect(job.execution.environment == ["B": "two"])
    #expect(job.execution.stop == StopPolicy(signal: .terminate, grace: .seconds(3)))
    #expect(job.timing.leeway == .none)
    let bare = try spec("every: 5s, run: x, env: null, kill: null", before: text)
    #expect(bare.execution.environment == [:])
    #expect(bare.execution.stop == StopPolicy())
  }

  @Test func `defaults and the zone are allowed below the jobs`() throws {
    let loaded = load(
      """
      jobs: {a: {at: 2026-07-01T12:00, run: x}}
      defaults: {qos: utility}
      scheduler: {timezone: Europe/Berlin, max_running: 3}
      """)
    let snapshot = try #require(loaded.snapshot)
    #expect(snapshot.jobs[0].execution.qos == .utility)
    #expect(snapshot.jobs[0].timing.schedule.at[0].rfc3339() == "2026-07-01T10:00:00.000Z")
    #expect(snapshot.settings.maxRunning == 3)
    #expect([1, 2, 4, 8, 64].map(SchedulerSettings.maxRunning) == [32, 32, 64, 128, 128])
    #expect(snapshot.settings.zone == TestZones.berlin)
  }

  @Test func `a mistake below the jobs is reported once`() throws {
    try check(
      badRow: """
        badDuration badChoice unknownZone | jobs:
          a: {every: »5, run: x}
        defaults: {qos: »x}
        scheduler: {timezone: »x}
        """)
  }

  @Test(arguments: [
    "badChoice | defaults: {qos: »high}\njobs: {a: {on: start, run: x}, b: {on: start, run: x}}\n",
    "wrongType | defaults: {timeout: »null}\njobs: {}\n",
    "wrongType | defaults: {env: {A: »null}}\njobs: {}\n",
    "wrongType | defaults: {timeout: 5s}\njobs: {a: {on: start, run: x, timeout: »}}\n",
    "wrongType | defaults: {timeout: 5s}\njobs: {a: {on: start, run: x, timeout: »~}}\n",
    "wrongType | defaults: »[x]\njobs: {}\n", "wrongType | defaults: »x\njobs: {}\n",
    "outOfRange | defaults: {leeway: 5s}\njobs: {a: {every: »5s, run: x}, b: {every: 6s, run: x}}\n",
    "duplicateKey | defaults: {}\n»defaults: {}\njobs: {}\n",
  ])
  func `a mistake in defaults is reported at its place`(row: String) throws {
    try check(badRow: row)
  }

  @Test func `sections whose keys are commented out are empty`() throws {
    let loaded = load("scheduler:\n  # max_running: 3\ndefaults:\njobs:\n")
    #expect(loaded.diagnostics.map(\.severity) == [.warning])
    #expect(loaded.snapshot?.jobs == [])
  }
}
