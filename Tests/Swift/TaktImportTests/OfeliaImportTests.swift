import TaktCore
import Testing

@testable import TaktImport

@Suite struct OfeliaImportTests {
  private func ini(_ text: String) throws -> Importer.Result {
    let result = try ImportFixture.imported(text, as: "ofelia.ini")
    #expect(result.report.sources.map(\.kind) == [.ofelia])
    _ = try ImportFixture.load(result.text)
    return result
  }

  @Test func `a job in a running container is docker exec`() throws {
    let result = try ini(
      """
      [job-exec "flush"]
      schedule = @hourly
      container = nginx-proxy
      command = /bin/bash -c 'flush all'
      environment = A=1
      environment = B=2
      user = www-data
      """)
    #expect(
      result.words() == [
        "docker", "exec", "--user", "www-data", "--env", "A=1", "--env", "B=2", "nginx-proxy",
        "/bin/bash", "-c", "flush all",
      ])
    #expect(result.value(.cron) == .text("@hourly"))
    #expect(result.value(.timezone) == .text("UTC"))
    #expect(result.value(.overlap) == .word("allow"))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a job in a new container is docker run`() throws {
    let result = try ini(
      """
      [job-run "certs"]
      schedule = @every 1440h ;60 days
      image = certs:1
      pull = false
      volume = /a:/a:ro
      network = back
      no-overlap = true
      [job-run "again"]
      schedule = 0 */5 * * * *
      container = stopped
      """)
    #expect(
      result.words() == [
        "docker", "run", "--rm", "--user", "root", "--network", "back", "--volume", "/a:/a:ro",
        "certs:1",
      ])
    #expect(result.value(.every) == .word("60d"))
    #expect(result.value(.overlap) == .word("skip"))
    #expect(result.words(1) == ["docker", "start", "--attach", "stopped"])
    #expect(result.value(.cron, 1) == .text("0 */5 * * * *"))
  }

  @Test func `a job on the machine keeps its folder and variables`() throws {
    let result = try ini(
      """
      [job-local "x"]
      schedule = 0,20,40 * * * *
      command = touch "test.txt"
      dir = /tmp/
      environment = FOO=bar
      """)
    #expect(result.words() == ["touch", "test.txt"])
    #expect(result.value(.directory) == .text("/tmp/"))
    #expect(result.value(.environment) == .mapping(["FOO": .text("bar")]))
  }

  @Test func `a service of a swarm is disabled`() throws {
    let result = try ini(
      "[job-service-run \"x\"]\nschedule = @daily\nimage = ubuntu\ncommand = touch /tmp/x\n")
    #expect(result.isDisabled)
    #expect(result.lost.contains { $0.contains("swarm") }, "\(result.lost)")
  }

  @Test func `mails and Slack of all jobs are hooks`() throws {
    let result = try ini(
      """
      [global]
      smtp-host = mail.example.org
      smtp-port = 587
      email-from = cron@example.org
      email-to = ops@example.org
      mail-only-on-error = true
      slack-webhook = https://hooks.slack.com/services/a
      [job-local "x"]
      schedule = @daily
      command = date
      """)
    #expect(result.value(.onFailure)?.texts.contains("ops@example.org") == true)
    #expect(result.value(.onSuccess)?.texts.contains("ops@example.org") == false)
    #expect(result.value(.onSuccess)?.texts.contains("slack") == true)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `labels of a Compose file are jobs`() throws {
    let result = try ImportFixture.imported(
      """
      services:
        ofelia:
          image: mcuadros/ofelia:latest
          environment: [TZ=Europe/Berlin]
          labels:
            ofelia.job-run.report.schedule: "@daily"
            ofelia.job-run.report.image: report:1
        web:
          image: nginx
          container_name: web-1
          labels:
            - ofelia.enabled=true
            - ofelia.job-exec.tidy.schedule=0 0 2 * * *
            - ofelia.job-exec.tidy.command=sh -c 'echo $$HOME'
            - 'ofelia.job-exec.tidy.environment=["A=1", "B=2"]'
        db:
          image: postgres
          labels: {ofelia.job-exec.dump.schedule: "@hourly", ofelia.job-exec.dump.command: dump}
      """, as: "compose.yaml")
    _ = try ImportFixture.load(result.text)
    #expect(result.jobs.map(\.name) == ["report", "tidy", "dump"])
    #expect(
      result.words(1) == [
        "docker", "exec", "--user", "root", "--env", "A=1", "--env", "B=2", "web-1", "sh", "-c",
        "echo $HOME",
      ])
    #expect(
      result.words(2).prefix(6) == ["docker", "compose", "--file", "/compose.yaml", "exec", "-T"])
    #expect(result.value(.timezone) == .text("Europe/Berlin"))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a label that Compose fills in is named`() throws {
    let result = try ImportFixture.imported(
      """
      services:
        web:
          image: nginx
          labels:
            ofelia.job-exec.x.schedule: "${SCHEDULE:-@daily}"
            ofelia.job-exec.x.command: date
      """, as: "compose.yaml")
    #expect(result.jobs.isEmpty)
    #expect(result.lost.contains { $0.contains("docker compose config") }, "\(result.lost)")
  }

  @Test(arguments: [
    ("a b", ["a", "b"]), ("a 'b c' d", ["a", "b c", "d"]), ("a x'b c'", ["a", "x'b", "c'"]),
    ("a \\'b", ["a", "'b"]), ("a `b\\c`", ["a", "b\\c"]), ("a | b", ["a", "| b"]),
  ])
  func `a command is split as Ofelia does`(text: String, words: [String]) {
    #expect(SplitWords.ofelia(text) == words)
  }

  @Test(arguments: ["@triggered", "@manual", "0 0 0 31 2 *"])
  func `a job without times starts by hand`(schedule: String) throws {
    let result = try ini("[job-run \"x\"]\nschedule = \(schedule)\nimage = x:1\npull = false\n")
    #expect(result.value(.on) == .word("manual"))
    #expect(result.value(.missed) == nil)
    #expect(result.value(.timezone) == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }
}
