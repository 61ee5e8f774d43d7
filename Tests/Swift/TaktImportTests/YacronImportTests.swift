import TaktCore
import Testing

@testable import TaktImport

@Suite struct YacronImportTests {
  /// A job with these lines, and files beside it.
  private func result(
    _ lines: String, top: String = "", files: [String: String] = [:]
  ) throws -> Importer.Result {
    let text = """
      \(top)
      jobs:
        - name: x
          command: ./x
          schedule: "0 3 * * *"
      \(lines.split(separator: "\n").map { "    \($0)\n" }.joined())
      """
    return try ImportFixture.imported(text, as: "yacrontab.yaml", files: files)
  }

  private func loaded(_ lines: String, top: String = "") throws -> Importer.Result {
    let result = try result(lines, top: top)
    _ = try ImportFixture.load(result.text)
    return result
  }

  @Test func `a mail becomes use mail`() throws {
    let result = try loaded(
      """
      onPermanentFailure:
        report:
          mail: {from: cron@example.org, to: "a@example.org, b@example.org", smtpHost: mail.example.org,
                 smtpPort: 465, tls: true, username: cron, password: {fromFile: /etc/mail-password},
                 subject: "Cron job {{name}} failed"}
      """)
    #expect(
      result.value(.onFailure)
        == .list([
          .mapping([
            "use": .word("mail"),
            "with": .mapping([
              "host": .text("mail.example.org"), "port": .word("465"), "tls": .word("tls"),
              "user": .text("cron"), "password": .text("{{secret.MAIL_PASSWORD}}"),
              "from": .text("cron@example.org"),
              "to": .list([.text("a@example.org"), .text("b@example.org")]),
              "subject": .text("Cron job {{job}} failed"),
            ]),
          ])
        ]))
    #expect(
      result.value(.secrets)
        == .mapping(["MAIL_PASSWORD": .mapping(["file": .text("/etc/mail-password")])]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test(arguments: [
    "{to: a@example.org, smtpHost: mail}", "{from: no address, to: a@example.org, smtpHost: mail}",
    "{from: a@example.org, to: b@example.org}",
    "{from: a@example.org, to: b@example.org, smtpHost: 'a b'}",
  ])
  func `a mail that nobody could send is not kept`(mail: String) throws {
    let result = try loaded("onFailure: {report: {mail: \(mail)}}")
    #expect(result.value(.onFailure) == nil)
    #expect(!result.lost.isEmpty)
  }

  @Test func `a shell report is a hook with the variables of yacron`() throws {
    let result = try loaded(
      """
      onSuccess: {report: {shell: {shell: /bin/bash, command: 'echo "$YACRON_JOB_NAME"'}}}
      onFailure: {report: {shell: {command: [/bin/page, ops]}}}
      """)
    guard case .list(let success)? = result.value(.onSuccess),
      case .list(let failure)? = result.value(.onFailure)
    else {
      Issue.record("no hooks: \(result.text)")
      return
    }
    let text = success.flatMap(\.texts)
    #expect(text[1...2] == ["/bin/bash", "-c"])
    #expect(text[3].hasSuffix("echo \"$YACRON_JOB_NAME\""))
    #expect(text[3].contains("export YACRON_JOB_NAME='x'"))
    #expect(failure.flatMap(\.texts).suffix(3) == ["sh", "/bin/page", "ops"])
    #expect(result.lost.isEmpty && result.changed.isEmpty, "\(result.lost) \(result.changed)")
  }

  @Test func `a report of each try is one of the last attempt, and that is said`() throws {
    let result = try loaded(
      "onFailure: {retry: {maximumRetries: 2}, report: {shell: {command: /bin/page}}}")
    #expect(result.changed.contains { $0.contains("after the last attempt") }, "\(result.changed)")
    #expect(
      result.value(.retry)
        == .mapping(["attempts": .word("3"), "delay": .word("1s"), "max": .word("5m")]))
  }

  @Test func `the folder, the catch-up and secrets are kept`() throws {
    let result = try loaded(
      """
      workingDirectory: /srv/x
      onMissed: run-all
      startingDeadlineSeconds: 3600
      secrets: [{name: TOKEN, fromFile: /etc/token}, {name: KEY, fromEnvVar: APP_KEY}]
      """)
    #expect(result.value(.directory) == .text("/srv/x"))
    #expect(result.value(.missed) == .mapping(["policy": .word("all"), "within": .word("1h")]))
    #expect(
      result.value(.secrets)
        == .mapping([
          "TOKEN": .mapping(["file": .text("/etc/token")]),
          "KEY": .mapping(["env": .text("APP_KEY")]),
        ]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `output that is not captured is no failure`() throws {
    let result = try loaded("captureStderr: false\nfailsWhen: {producesStdout: true}")
    #expect(result.value(.failsWhen) == nil)
  }

  @Test func `variables of the defaults and of the job are together`() throws {
    let result = try loaded(
      "environment: [{key: B, value: '2'}]",
      top: "defaults: {environment: [{key: A, value: '1'}, {key: B, value: '1'}]}")
    #expect(result.value(.environment) == .mapping(["A": .text("1"), "B": .text("2")]))
  }

  @Test func `an environment file is kept where takt reads it in the same way`() throws {
    let result = try result("env_file: .env", files: [".env": "# a\nA=1\nB=x y\n"])
    #expect(result.value(.environmentFile) == .text("/.env"))
    #expect(!result.isDisabled)
  }

  @Test func `otherwise its variables are in the job`() throws {
    let result = try result(
      "env_file: .env\nenvironment: [{key: C, value: '3'}]",
      files: [".env": "A=\"1\"\n B = x #y \nC=2\n"])
    #expect(result.value(.environmentFile) == nil)
    #expect(
      result.value(.environment)
        == .mapping(["A": .text("\"1\""), "B": .text("x #y"), "C": .text("3")]))
  }

  @Test func `a file that is not there disables the job`() throws {
    let result = try result("env_file: .env")
    #expect(result.isDisabled)
    #expect(result.lost.contains { $0.contains("cannot be read") }, "\(result.lost)")
  }

  @Test func `an included file gives its jobs and its defaults, and a circle ends`() throws {
    let result = try result(
      "", top: "include: [inc.yaml]",
      files: [
        "inc.yaml":
          "include: [inc.yaml]\ndefaults: {workingDirectory: /srv}\n"
          + "jobs: [{name: y, command: ./y, schedule: '0 4 * * *'}]\n"
      ])
    #expect(result.jobs.map(\.name) == ["y", "x"])
    #expect(result.jobs.last?[.directory] == .text("/srv"))
  }
}
