import Foundation
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine
import Synchronization

/// `use: mail` against a real server on this machine; Python's `email` parses the mails.
@Suite struct MailBuiltinTests {
  private struct Mail: Decodable {
    var sender: String
    var to: [String]
    var login: [String]?
    var secure: Bool
    var subject: String
    var from: String
    var toHeader: String
    var date: String
    var id: String
    var keys: [String]
    var defects: [String]
    var body: String
    var longest: Int
    var attachments: [[String]]
  }

  private let folder = TemporaryFolder()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench() }

  private func server(_ mode: String, _ pair: (certificate: String, key: String)? = nil) throws
    -> PythonServer
  {
    try PythonServer(
      MailServer.script,
      [folder["mails"], mode] + (pair.map { [$0.certificate, $0.key] } ?? []),
      folder: folder)
  }

  private func parameters(_ server: PythonServer, _ more: Parameters = [:]) -> Parameters {
    let common: Parameters = [
      "host": "127.0.0.1", "port": .integer(server.port), "tls": "none",
      "from": "takt <takt@example.org>", "to": .list(["ops@example.org"]), "hello": "test.example",
    ]
    return common.merging(more) { $1 }
  }

  private func mails() throws -> [Mail] { try folder.values(of: "mails") }

  @Test func `a mail arrives as it was meant`() async throws {
    let server = try server("plain")
    let text = ".dot\n..two\nFrom here\n\n.\nend"
    let result = await bench.run(
      "mail",
      parameters(
        server,
        [
          "subject": "{{job}} says: Grüße, 世界 and a subject that is long enough to be cut in words",
          "body": .string(text),
          "to": .list(["ops@example.org", "Jürgen \"J\" <j@example.org>"]),
        ]))
    #expect(result == .done)
    let mail = try #require(try mails().first)
    #expect(
      mail.subject
        == "job says: Grüße, 世界 and a subject that is long enough to be cut in words")
    #expect(mail.body == text + "\n")
    #expect(mail.sender == "MAIL FROM:<takt@example.org>")
    #expect(mail.to == ["RCPT TO:<ops@example.org>", "RCPT TO:<j@example.org>"])
    #expect(mail.from == "takt <takt@example.org>")
    #expect(mail.toHeader.contains("j@example.org") && mail.toHeader.contains("Jürgen"))
    #expect(mail.defects == [])
    #expect(mail.attachments.isEmpty)
    #expect(mail.longest <= 78)
    #expect(mail.id.hasSuffix("@test.example>"))
    #expect(mail.date.wholeMatch(of: /\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/) != nil)
  }

  @Test func `a hook says what happened and attaches the output`() async throws {
    let server = try server("plain")
    let output = "disk füll\n" + String(repeating: "x", count: 200_000)
    let facts = BuiltinBench.facts(output: output)
    #expect(await bench.run("mail", parameters(server), facts: facts) == .done)
    let mail = try #require(try mails().first)
    #expect(mail.subject == "[takt] job failed (exit(1))")
    #expect(mail.body.contains("Outcome:  failed, exit(1)\n"))
    let file = try #require(mail.attachments.first)
    #expect(file[0] == "job-7.txt")
    #expect(file[1] == "text/plain")
    #expect(file[2].hasPrefix("disk füll\nxxx"))
    #expect(file[2].contains("bytes are missing here]"))
    #expect((65_000...66_000).contains(file[2].utf8.count))
    #expect(mail.defects == [])
    #expect(mail.keys.contains("Auto-Submitted"))
  }

  @Test func `a person reads what happened, where, and what the run printed last`() async throws {
    let server = try server("plain")
    let facts = BuiltinBench.facts(
      output: "pg_dump: \u{1b}[31merror\u{1b}[0m: <disk> \"full\"\n\u{0}\nGrüße\n")
    #expect(await bench.run("mail", parameters(server), facts: facts) == .done)
    let mail = try #require(try mails().first)
    #expect(
      mail.body == """
        job failed on \(HostName.current): exit(1)

        Job:      job
        Host:     \(HostName.current)
        Outcome:  failed, exit(1)
        Slot:     2026-09-21T14:13:20.123Z
        Took:     1.2 s
        Attempts: 3
        Failures: 2 in a row
        Run:      7

        The last lines of the output:

        pg_dump: error: <disk> "full"

        Grüße

        """)
    #expect(mail.defects == [])
  }

  @Test func `a body of other letters or long lines is carried whole`() async throws {
    let server = try server("plain")
    let body = "Übergrößenträger\n" + String(repeating: "lang ", count: 1000)
    #expect(await bench.run("mail", parameters(server, ["body": .string(body)])) == .done)
    let mail = try #require(try mails().first)
    #expect(mail.body == body + "\n")
    #expect(mail.longest <= 78)
  }

  @Test func `a recipient who is refused is a failure, and the others get the mail`() async throws {
    let server = try server("plain")
    #expect(
      await bench.run(
        "mail", parameters(server, ["to": .list(["nobody@example.org", "ops@example.org"])]))
        == .failed("recipient(550)"))
    #expect(try mails().map(\.to) == [["RCPT TO:<ops@example.org>"]])
    #expect(
      await bench.run("mail", parameters(server, ["to": .list(["nobody@example.org"])]))
        == .failed("recipient(550)"))
    #expect(try mails().count == 1)
  }

  @Test(arguments: ["starttls", "tls"])
  func `a server's certificate is checked, and the password goes through TLS`(mode: String)
    async throws
  {
    let pair = try folder.makeCertificate()
    let server = try server(mode, pair)
    let login: Parameters = ["tls": .string(mode), "user": "u", "password": "{{secret.P}}"]
    func run(_ more: Parameters) async -> AttemptResult {
      await bench.run("mail", parameters(server, login.merging(more) { $1 })) {
        $0.execution.secrets = ["P": Secret(.file(folder["password"]))]
      }
    }
    folder.write("geheim\n", to: "password")
    #expect(await run([:]) == .failed("tls"))
    #expect(try mails().isEmpty)
    let trusted: Parameters = ["ca_file": .string(pair.certificate)]
    #expect(await run(trusted) == .done)
    #expect(await run(trusted.merging(["host": "localhost"]) { $1 }) == .done)
    #expect(await run(["insecure": .boolean(true)]) == .done)
    let mail = try #require(try mails().first)
    #expect(mail.secure)
    #expect(mail.login == ["u", "geheim"])
    folder.write("falsch\n", to: "password")
    #expect(await run(trusted) == .failed("auth(535)"))
    #expect(bench.lines.texts.allSatisfy { !$0.contains("geheim") && !$0.contains("falsch") })
  }

  @Test func `a login without TLS works where it was asked for`() async throws {
    let server = try server("plain")
    #expect(
      await bench.run("mail", parameters(server, ["user": "u", "password": "geheim"])) == .done)
    #expect(try mails().first?.login == ["u", "geheim"])
  }

  @Test func `a server without STARTTLS gets nothing`() async throws {
    let server = try server("plain")
    #expect(await bench.run("mail", parameters(server, ["tls": "starttls"])) == .failed("starttls"))
    #expect(try mails().isEmpty)
  }

  @Test func `what is slipped in before TLS is refused`() async throws {
    let server = try server("inject", try folder.makeCertificate())
    #expect(
      await bench.run(
        "mail", parameters(server, ["tls": "starttls", "insecure": .boolean(true)]))
        == .failed("protocol"))
  }

  @Test func `a silent server is a timeout, nobody is refused, no name is dns`() async throws {
    let server = try server("silent")
    #expect(
      await bench.run("mail", parameters(server, ["timeout": .duration(.milliseconds(200))]))
        == .failed("timeout"))
    #expect(
      await bench.run("mail", parameters(server, ["port": .integer(1)])) == .failed("refused"))
    #expect(
      await bench.run("mail", parameters(server, ["host": "no-such-host.invalid"]))
        == .failed("dns"))
  }

  @Test func `a web server is no mail server`() async throws {
    let server = try PythonServer(WebServer.script)
    let result = await bench.run(
      "mail", parameters(server, ["timeout": .duration(.milliseconds(300))]))
    #expect([.failed("protocol"), .failed("timeout"), .failed("closed")].contains(result))
  }

  @Test(arguments: [StopSignal.terminate, .kill])
  func `a conversation in progress is cancelled`(signal: StopSignal) async throws {
    let server = try server("silent")
    let patient = parameters(server, ["timeout": .duration(.seconds(3600))])
    bench.router.start([bench.request("mail", patient)])
    while folder.read("mails").isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    bench.router.stop(RunID(1), signal: signal)
    #expect(await bench.ends(1)[0].report.result == .failed("cancelled"))
  }

  @Test(arguments: [
    ("subject", "hi\r\nBcc: all@example.org", "header"), ("subject", "a\u{0}b", "header"),
    ("hello", "x y", "header"), ("from", "a@b\r\nRCPT TO:<c@d>", "address"),
    ("from", "a@b> <c@d", "address"), ("from", "a b@c", "address"), ("from", "-v@x", "address"),
    ("from", "a@b@c", "address"), ("from", "", "address"), ("from", "x\ny <a@b>", "address"),
  ])
  func `no header and no address begins another one`(
    name: String, value: String, reason: String
  ) async throws {
    let server = try server("plain")
    #expect(await bench.run("mail", parameters(server, [name: .string(value)])) == .failed(reason))
    #expect(try mails().isEmpty)
  }

  /// A program in the place of `sendmail`.
  private func sendmail(_ script: String, _ more: Parameters = [:]) throws -> Parameters {
    let program = folder["sendmail"]
    folder.write("#!/bin/sh\n\(script)\n", to: "script")
    // Written by a process that has ended: this one starts others meanwhile, which would hold it
    // open for writing, and such a file cannot be executed.
    try PythonServer.run(["install", "-m", "755", folder["script"], program])
    let common: Parameters = [
      "sendmail": .string(program), "from": "takt@example.org", "to": .list(["root"]),
    ]
    return common.merging(more) { $1 }
  }

  @Test func `sendmail gets the mail on its input, and its status counts`() async throws {
    let parameters = try sendmail(
      "echo \"$@\" > \"$0.arguments\"; cat > \"$0.mail\"; exit 3",
      ["to": .list(["root", "ops@example.org"]), "body": "hello"])
    #expect(await bench.run("mail", parameters) == .exited(3))
    #expect(folder.read("sendmail.arguments") == "-i -f takt@example.org -- root ops@example.org\n")
    let mail = folder.read("sendmail.mail")
    #expect(mail.hasPrefix("From: takt@example.org\nTo: root,\n ops@example.org\n"))
    #expect(mail.hasSuffix("\n\nhello\n"))
    #expect(!mail.contains("\r"))
  }

  @Test func `a secret of the body is masked in what sendmail prints, and not in its environment`()
    async throws
  {
    folder.write("s3cret-value\n", to: "token")
    let parameters = try sendmail(
      "cat; env | grep s3cret; echo 's3cret-value' >&2", ["body": "token: {{secret.TOK}}"])
    var request = bench.request("mail", parameters) {
      $0.execution.secrets = ["TOK": Secret(.file(folder["token"]))]
    }
    request.spec.action = .steps([Step(request.action)])
    bench.router.start([request])
    let report = await bench.ends(1)[0].report
    #expect(report.result == .exited(0))
    #expect(bench.sink.all.filter { $0.contains("***") }.sorted() == ["***", "token: ***"])
    #expect(bench.sink.all.allSatisfy { !$0.contains("s3cret") })
    let kept = String(decoding: report.output.kept.head, as: UTF8.self)
    #expect(kept.contains("token: ***\n") && !kept.contains("s3cret"))
    let steps = bench.sink.records.withLock { $0 }
    #expect(steps.allSatisfy { $0.contains(LogField(.step, .number(1))) })
  }

  @Test(arguments: ["exec sleep 1000", "trap '' TERM; while :; do sleep 0.05; done"])
  func `a sendmail that takes longer than its timeout is ended`(script: String) async throws {
    let parameters = try sendmail(script, ["timeout": .duration(.milliseconds(200))])
    let result = await bench.run("mail", parameters) {
      $0.execution.stop.grace = .milliseconds(100)
    }
    #expect(result == .failed("timeout"))
  }

  @Test func `the timeout of a mail that is gone does not reach the next step of the run`()
    async throws
  {
    let parameters = try sendmail("cat > /dev/null", ["timeout": .duration(.seconds(3))])
    #expect(await bench.run("mail", parameters) == .exited(0))
    var next = bench.request("mail", parameters)
    next.action = .shell("sleep 4")
    bench.router.start([next])
    #expect(await bench.ends(1)[0].report.result == .exited(0))
  }

  @Test func `a sendmail that hangs is stopped with its group`() async throws {
    let parameters = try sendmail(
      ": > \"$0.begun\"; sleep 1000", ["timeout": .duration(.seconds(3600))])
    bench.router.start([bench.request("mail", parameters)])
    while !FileManager.default.fileExists(atPath: folder["sendmail.begun"]) {
      try await Task.sleep(for: .milliseconds(5))
    }
    bench.router.stop(RunID(1), signal: .terminate)
    #expect(await bench.ends(1)[0].report.result == .signalled(15))
  }

  @Test(
    arguments: [
      (
        "sendmail", ["port": .integer(25), "tls": "starttls", "ca_file": "/c"],
        ["port", "tls", "ca_file"]
      ),
      (
        "sendmail", ["user": "u", "password": "p", "insecure": .boolean(false)],
        ["user", "password", "insecure"]
      ),
      ("sendmail", ["timeout": .duration(.seconds(1)), "hello": "me"], []),
      ("host", ["tls": "none", "ca_file": "/c"], ["ca_file"]),
      ("host", ["insecure": .boolean(true), "ca_file": "/c"], ["ca_file"]),
      ("host", ["tls": "tls", "port": .integer(1), "ca_file": "/c"], []),
    ] as [(String, Parameters, [String])])
  func `what has no effect is found at load`(way: String, more: Parameters, idle: [String]) {
    let common: Parameters = [way: "/s", "from": "a@b", "to": .list(["c@d"])]
    let problems = BuiltinRegistry.standard.problems(of: "mail", in: common.merging(more) { $1 })
    #expect(problems.map(\.parameter) == idle)
  }

  @Test(
    arguments: [
      (["host": "mail.example.org", "from": "x"], ["from"]),
      (["host": "h", "from": "Name <x>", "to": .list(["a@b", "root"])], ["to", "from"]),
      (["host": "mail.example.org", "from": "{{job}}"], []),
      (["host": "localhost", "from": "x"], []), (["sendmail": "/s", "from": "x"], []),
    ] as [(Parameters, [String])])
  func `an address without a host is a doubt where the server is another machine`(
    given: Parameters, doubtful: [String]
  ) {
    let problems = BuiltinRegistry.standard.problems(
      of: "mail", in: ["to": .list(["a@b"])].merging(given) { $1 })
    #expect(problems.map(\.parameter) == doubtful)
    #expect(problems.allSatisfy { $0.isDoubt })
    guard doubtful == ["from"] else { return }
    #expect(
      problems.first?.message
        == "the address 'x' has no host, so most servers refuse it; write x@example.org")
  }

  @Test func `a mail without a way, or with two, is found at load`() {
    let common: Parameters = ["from": "a@b", "to": .list(["c@d", "e f"])]
    let registry = BuiltinRegistry.standard
    #expect(registry.problems(of: "mail", in: common).map(\.parameter) == [nil, "to"])
    let both = common.merging(["host": "h", "sendmail": "/s", "to": .list([])]) { $1 }
    #expect(registry.problems(of: "mail", in: both).map(\.parameter) == [nil, "to"])
  }
}
