import TaktCore
import Testing

@testable import TaktImport

/// Dkron, GitHub, launchd and whenever, and files that takt does not import.
@Suite struct OtherSourcesTests {
  private func imported(_ text: String, as name: String) throws -> Importer.Result {
    let result = try ImportFixture.imported(text, as: name)
    #expect(result.report.unreadable.isEmpty, "\(result.report.unreadable)")
    _ = try ImportFixture.load(result.text)
    return result
  }

  @Test func `jobs of Dkron`() throws {
    let result = try imported(
      """
      [{"name": "dump", "schedule": "0 30 2 * * *", "timezone": "Europe/Berlin",
        "executor": "shell", "concurrency": "forbid", "retries": 2,
        "executor_config": {"command": "dump --all", "shell": "true", "timeout": "1h",
                            "env": "A=1,B=2", "cwd": "/srv"}},
       {"name": "copy", "parent_job": "dump", "executor": "shell",
        "executor_config": {"command": "copy 'a b'", "shell": "false"}},
       {"name": "ping", "schedule": "@every 5m", "executor": "http", "disabled": true,
        "executor_config": {"method": "GET", "url": "https://example.org/x", "expectCode": "200"}},
       {"name": "queue", "schedule": "@daily", "executor": "kafka",
        "executor_config": {"topic": "x"}}]
      """, as: "jobs.json")
    #expect(result.jobs.map(\.name) == ["dump", "copy", "ping", "queue"])
    #expect(result.value(.run) == .text("dump --all"))
    #expect(result.value(.cron) == .text("0 30 2 * * *"))
    #expect(result.value(.timezone) == .text("Europe/Berlin"))
    #expect(result.value(.environment) == .mapping(["A": .text("1"), "B": .text("2")]))
    #expect(result.value(.retry) == .mapping(["attempts": .word("3"), "delay": .word("0s")]))
    #expect(result.value(.after, 1) == .mapping(["job": .text("dump")]))
    #expect(result.words(1) == ["copy", "a b"])
    #expect(result.value(.enabled, 2) == .word("false"))
    #expect(result.value(.enabled, 3) == .word("false"))
  }

  @Test func `a job of Dkron that starts by hand`() throws {
    let result = try imported(
      """
      {"name": "x", "schedule": "@manually", "timezone": "Europe/Berlin", "executor": "shell",
       "executor_config": {"command": "x"}}
      """, as: "jobs.json")
    #expect(result.value(.on) == .word("manual"))
    #expect(result.value(.missed) == nil)
    #expect(result.value(.timezone) == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a workflow whose steps are commands`() throws {
    let result = try imported(
      """
      name: Nightly
      on:
        schedule:
          - cron: "0 3 * * *"
          - cron: "0 15 * * 1"
        workflow_dispatch:
      env: {LEVEL: high}
      jobs:
        build:
          runs-on: ubuntu-latest
          timeout-minutes: 10
          steps:
            - run: make
            - name: Test
              shell: bash
              run: make test
              env: {A: '1'}
      """, as: "nightly.yml")
    #expect(result.jobs.map(\.name) == ["Nightly"])
    #expect(result.value(.cron) == .list([.text("0 3 * * *"), .text("0 15 * * 1")]))
    #expect(result.value(.timezone) == .word("UTC"))
    #expect(result.value(.timeout) == .word("10m"))
    #expect(!result.isDisabled)
    #expect(
      result.value(.steps)
        == .list([
          .mapping(["run": .list(["bash", "-e", "-c", "make"].map(DraftValue.text))]),
          .mapping([
            "run": .list(
              [
                "env", "A=1", "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c",
                "make test",
              ].map(DraftValue.text))
          ]),
        ]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [
    "on: {schedule: [{cron: '0 3 * * *'}], push: {}}",
    "\"on\": {schedule: [{cron: '0 3 * * *'}], push: {}}",
    "'on':\n  push: {}\n  schedule:\n  - \"cron\": '0 3 * * *'",
  ])
  func `a workflow is recognised in all forms of YAML`(trigger: String) throws {
    let result = try imported(
      "\(trigger)\njobs:\n  a:\n    'runs-on': x\n    steps: [{run: make}]\n", as: "x.yaml")
    #expect(result.report.sources.map(\.kind) == [.github])
    #expect(result.value(.cron) == .text("0 3 * * *"))
  }

  @Test func `a command of a crontab that names a CronJob is no manifest`() throws {
    let result = try imported("0 3 * * * echo '{kind: CronJob}'\n", as: "tab")
    #expect(result.report.sources.map(\.kind) == [.crontab])
  }

  @Test(arguments: [
    "- uses: actions/checkout@v4", "- run: echo ${{ secrets.TOKEN }}",
    "- {run: make, working-directory: src}", "- {run: make, shell: pwsh}",
  ])
  func `a workflow that takt cannot run is disabled`(step: String) throws {
    let result = try imported(
      """
      on:
        schedule:
          - cron: "0 3 * * *"
      jobs:
        build:
          runs-on: ubuntu-latest
          steps:
            \(step)
      """, as: "nightly.yml")
    #expect(result.isDisabled)
    #expect(result.report.notes.contains { $0.sentence.contains("is disabled") })
  }

  private func plist(_ body: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>Label</key><string>org.example.x</string>
      \(body)
    </dict>
    </plist>
    """
  }

  @Test func `a job of launchd`() throws {
    let result = try imported(
      plist(
        """
        <key>ProgramArguments</key>
        <array><string>/usr/bin/x</string><!-- all --><string>a &amp; b</string></array>
        <key>StartCalendarInterval</key>
        <array>
          <dict><key>Hour</key><integer>9</integer><key>Minute</key><integer>30</integer></dict>
          <dict><key>Weekday</key><integer>0</integer><key>Hour</key><integer>3</integer></dict>
        </array>
        <key>RunAtLoad</key><true/>
        <key>EnvironmentVariables</key><dict><key>A</key><string>1</string></dict>
        <key>WorkingDirectory</key><string>/srv</string>
        <key>StandardOutPath</key><string>/tmp/x.log</string>
        <key>Umask</key><integer>18</integer>
        """), as: "x.plist")
    #expect(result.jobs.map(\.name) == ["org.example.x"])
    #expect(result.words() == ["/usr/bin/x", "a & b"])
    #expect(result.value(.cron) == .list([.text("30 9 * * *"), .text("* 3 * * 0")]))
    #expect(result.value(.on) == .word("start"))
    #expect(result.value(.missed) == .mapping(["policy": .word("last")]))
    #expect(result.value(.directory) == .text("/srv"))
    #expect(result.value(.umask) == .word("022"))
    #expect(
      result.value(.output) == .mapping(["file": .mapping(["path": .text("/tmp/x.log")])]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `an interval of launchd`() throws {
    let result = try imported(
      plist(
        "<key>Program</key><string>/x</string><key>StartInterval</key><integer>300</integer>"),
      as: "x.plist")
    #expect(result.value(.every) == .word("5m"))
    #expect(result.words() == ["/x"])
  }

  @Test func `a service of launchd is no job`() throws {
    let result = try imported(
      plist("<key>Program</key><string>/x</string><key>KeepAlive</key><true/>"), as: "x.plist")
    #expect(result.jobs.isEmpty)
    #expect(result.report.notes.contains { $0.sentence.contains("service") })
  }

  @Test(arguments: [
    "<plist><dict><key>a</key></dict></plist>", "<plist><dict>", "<plist><set/></plist>",
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict/></plist>",
    "<plist><string>&a;</string></plist>",
    String(repeating: "<array>", count: 200),
  ])
  func `a property list that is none is refused with its place`(text: String) throws {
    let text = text.hasPrefix("<array>") ? "<plist>\(text)" : text
    let result = try ImportFixture.imported(text, as: "x.plist")
    #expect(result.report.unreadable.count == 1, "\(result.report.unreadable)")
    #expect(result.jobs.isEmpty)
  }

  @Test func `what whenever has written is named after its project`() throws {
    let text = """
      # Begin Whenever generated tasks for: /srv/shop/releases/20240705201033/config/schedule.rb at: 2024
      0 4 * * * /bin/bash -l -c 'cd /srv/shop && bundle exec rake tidy'
      # End Whenever generated tasks for: /srv/shop/releases/20240705201033/config/schedule.rb at: 2024

      """
    let result = try ImportFixture.imported(text, as: "crontab.txt")
    #expect(result.jobs.map(\.name) == ["shop"])
    #expect(result.report.sources.map(\.kind) == [.crontab])
  }

  @Test(arguments: [true, false]) func `a text in UTF-16 is named`(isBigEndian: Bool) throws {
    let fixture = try ImportFixture()
    let mark: [UInt8] = isBigEndian ? [0xfe, 0xff] : [0xff, 0xfe]
    let text: [UInt8] = "<?xml version=\"1.0\"?>\n<Task/>\n".utf8.flatMap {
      isBigEndian ? [0, $0] : [$0, 0]
    }
    let result = fixture.run(try fixture.write(mark + text, to: "task.xml"))
    #expect(result.report.unreadable.map(\.sentence).first?.hasPrefix("this is UTF-16") == true)
    #expect(result.jobs.isEmpty)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [
    ("schedule.rb", "every 1.day, at: '4am' do\n  rake 'tidy'\nend\n", "whenever | takt import -"),
    ("x", "every 2.hours do\n  command 'x'\nend\n", "whenever | takt import -"),
    (
      "task.xml",
      "<?xml version=\"1.0\"?>\n<Task xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\"/>\n",
      "Windows"
    ),
    ("compose.yml", "services:\n  web:\n    image: nginx\n", "Compose file without labels"),
    (
      "ci.yml", "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n", "without 'on.schedule'"
    ),
    ("Jenkinsfile", "pipeline {\n  triggers { cron('H 3 * * *') }\n}\n", "Jenkinsfile"),
    ("job.hcl", "job \"x\" {\n  periodic {\n    cron = \"@daily\"\n  }\n}\n", "Nomad"),
    ("site.yml", "- hosts: all\n  tasks: []\n", "Ansible"),
    ("dag.py", "from airflow import DAG\n", "Python"),
    ("x.plist", "bplist00\u{1}\n", "plutil"),
    ("jobs.yaml", "jobs:\n  a: {every: 1h, run: x}\n", "jobs file of takt"),
    ("values.yaml", "replicas: 3\n", "--from"), ("package.json", "{\n \"a\": 1\n}\n", "JSON"),
    ("x", "{{- if .Values.x }}\nkind: {{ .Values.kind }}\n{{- end }}\n", "template"),
  ])
  func `a file that is no source of jobs is named, and nothing is made of it`(
    name: String, text: String, word: String
  ) throws {
    let result = try ImportFixture.imported(text, as: name)
    #expect(result.report.unreadable.count == 1)
    #expect(
      result.report.unreadable.first?.sentence.contains(word) == true,
      "\(result.report.unreadable)")
    #expect(result.jobs.isEmpty)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }
}
