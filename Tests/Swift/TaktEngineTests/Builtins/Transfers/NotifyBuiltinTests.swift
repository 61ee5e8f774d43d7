import Foundation
import TaktCore
import TaktSystem
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: notify` against a server that accepts the same requests as the services.
@Suite struct NotifyBuiltinTests {
  private struct Seen: Decodable {
    var kind: String
    var text: String
    var title: String?
    var priority: Int?
    var tags: [String]?
    var key: String?
    var mentions: [String: [String]]?
    var markup: String?
  }

  private let folder = TemporaryFolder()
  private let server: PythonServer
  private let bench: BuiltinBench

  init() throws {
    server = try PythonServer(NoticeServer.script, [folder["seen"]], folder: folder)
    bench = try BuiltinBench()
  }

  private func seen() throws -> [Seen] { try folder.values(of: "seen") }

  private func parameters(_ service: ChatService) -> Parameters {
    let base = "http://127.0.0.1:\(server.port)"
    return switch service {
    case .slack: ["to": "slack", "url": .string("\(base)/services/T0/B0/x")]
    case .teams: ["to": "teams", "url": .string("\(base)/teams")]
    case .telegram:
      ["to": "telegram", "url": .string(base), "token": "123:abc", "chat": "-1001"]
    case .ntfy: ["to": "ntfy", "url": .string("\(base)/alerts")]
    case .discord: ["to": "discord", "url": .string("\(base)/api/webhooks/1/x")]
    case .matrix:
      [
        "to": "matrix", "url": .string("\(base)/"), "token": "syt_1", "chat": "!a/b?c:example.org",
      ]
    case .gotify: ["to": "gotify", "url": .string("\(base)/gotify"), "token": "A1"]
    case .pushover:
      ["to": "pushover", "url": .string(base), "token": "azGD", "user": "uQiR"]
    case .pagerduty: ["to": "pagerduty", "url": .string(base), "token": "R1"]
    }
  }

  @Test(arguments: ChatService.allCases)
  func `a failure is readable: what, where, why and the last lines`(service: ChatService)
    async throws
  {
    let facts = BuiltinBench.facts(output: "one\n\u{1b}[31mdisk is full\n")
    #expect(await bench.run("notify", parameters(service), facts: facts) == .done)
    let message = try #require(try seen().first)
    let whole = (message.title ?? "") + "\n" + message.text
    #expect(message.kind == service.rawValue)
    for words in ["job failed on \(HostName.current): exit(1)", "2 in a row", "disk is full"] {
      #expect(whole.contains(words), "\(whole)")
    }
    #expect(!whole.contains("\u{1b}"))
    let secrets = ["123:abc", "syt_1", "azGD", "uQiR", "/x"]
    #expect(!bench.lines.texts.contains { line in secrets.contains(where: line.contains) })
    if service == .ntfy { #expect(message.priority == 4 && message.tags == ["warning"]) }
  }

  @Test(arguments: ChatService.allCases)
  func `a display name stands for the job, whose name is beside it`(service: ChatService)
    async throws
  {
    let end = await bench.run("notify", parameters(service), facts: BuiltinBench.facts()) {
      $0.policies.displayName = "Sicherung <der> Bücher 夜"
    }
    #expect(end == .done)
    let message = try #require(try seen().first)
    let whole = ((message.title ?? "") + "\n" + message.text)
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("\\", with: "")
    #expect(whole.contains("Sicherung <der> Bücher 夜 failed on \(HostName.current)"), "\(whole)")
    #expect(whole.contains("Sicherung <der> Bücher 夜 (job)"), "\(whole)")
  }

  @Test(arguments: ChatService.allCases)
  func `an output of any length and any letters is taken`(service: ChatService) async throws {
    let outputs = [
      String(repeating: "<&>😀", count: 30_000), String(repeating: "x\n", count: 100_000),
      "```\n" + String(repeating: "\u{0}\"\\", count: 5000), "", "\u{1b}[2J\u{0}\u{7f}\r\n",
      String(repeating: "@everyone \u{2028}", count: 80_000),
    ]
    for output in outputs {
      let facts = BuiltinBench.facts(output: output)
      #expect(await bench.run("notify", parameters(service), facts: facts) == .done)
    }
    let seen = try seen()
    #expect(seen.count == outputs.count)
    #expect(seen.allSatisfy { $0.mentions?.values.allSatisfy(\.isEmpty) ?? true })
  }

  @Test(arguments: ChatService.allCases)
  func `a text of any length is cut between characters, and one of nothing is the title`(
    service: ChatService
  ) async throws {
    var own = parameters(service)
    // Each start moves the limit to another place within the four bytes of a character.
    for start in ["", "a", "ab", "abc", "\u{0}\u{1b}\""] {
      own["text"] = .string(start + String(repeating: "😀", count: 250_000))
      #expect(await bench.run("notify", own, facts: BuiltinBench.facts()) == .done)
    }
    own["text"] = "{{output}}"
    #expect(await bench.run("notify", own, facts: BuiltinBench.facts(output: " \n\t")) == .done)
    let seen = try seen()
    #expect(seen.count == 6)
    for message in seen.dropLast() {
      let text = service == .pagerduty ? try #require(message.title) : message.text
      #expect(text.hasSuffix("😀…") && !text.contains("\u{fffd}") && !text.contains("\u{1b}"))
    }
    let last = try #require(seen.last)
    #expect((last.text + (last.title ?? "")).contains("job failed on"))
  }

  @Test(arguments: [ChatService.discord, .pushover, .pagerduty])
  func `a text at the limit of the service is sent as it is`(service: ChatService) async throws {
    let limit = service == .discord ? 2000 : 1024
    var own = parameters(service)
    for count in [limit, limit + 1] {
      own["text"] = .string(String(repeating: "ü", count: count))
      #expect(await bench.run("notify", own, facts: BuiltinBench.facts()) == .done)
    }
    let texts = try seen().map { service == .pagerduty ? $0.title ?? "" : $0.text }
    #expect(
      texts == [
        String(repeating: "ü", count: limit), String(repeating: "ü", count: limit - 1) + "…",
      ])
  }

  @Test func `PagerDuty hears of one problem of a job and of its end`() async throws {
    var facts = BuiltinBench.facts(output: "disk is full")
    let own = parameters(.pagerduty)
    #expect(await bench.run("notify", own, facts: facts) == .done)
    for hook in [HookKind.onStale, .onLate, .onStart, .onRecover, .onSuccess] {
      facts.hook = hook
      #expect(await bench.run("notify", own, facts: facts) == .done)
    }
    var named = own
    named["dedup_key"] = .string(String(repeating: "ü", count: 300))
    #expect(await bench.run("notify", named, facts: facts) == .done)
    let seen = try seen()
    let key = "takt/\(HostName.current)/job"
    #expect(seen.dropLast().map(\.key) == Array(repeating: key, count: 6))
    #expect(seen.map(\.tags) == [["error"], ["warning"], ["warning"], ["info"], nil, nil, nil])
    #expect(seen.suffix(3).map(\.text) == ["resolve", "resolve", "resolve"])
    #expect(seen.last?.key?.count == 64)
  }

  @Test func `a message to Matrix is the same one in each try, and another one in the next run`()
    async throws
  {
    var own = parameters(.matrix)
    own["text"] = "flaky"
    own["retries"] = .integer(1)
    let request = bench.request("notify", own, facts: BuiltinBench.facts())
    bench.router.start([request])
    #expect(await bench.ends(1)[0].report.result == .done)
    var later = BuiltinBench.facts()
    later.run = RunID(8)
    own["text"] = nil
    #expect(await bench.run("notify", own, facts: later) == .done)
    let seen = try seen()
    // The first try got 502, and the second one had the same transaction.
    #expect(seen.count == 2 && Set(seen.compactMap(\.key)).count == 2)
    #expect(seen.first?.key == RunUUID.ofMessage(request))
    #expect(seen.last?.markup?.hasPrefix("<strong>job failed on ") == true)
  }

  @Test(
    arguments: [
      (ChatService.gotify, 10, 10), (.pushover, 2, 2), (.pushover, -2, -2),
      // A trigger's value is within the bounds of all services together, not of this one.
      (.ntfy, 10, 5), (.ntfy, -2, 1), (.gotify, -2, 0), (.pushover, 10, 2),
    ] as [(ChatService, Int, Int)])
  func `a priority is the service's own`(service: ChatService, given: Int, sent: Int) async throws {
    var own = parameters(service)
    own["priority"] = .integer(given)
    #expect(await bench.run("notify", own, facts: BuiltinBench.facts()) == .done)
    #expect(try seen().first?.priority == sent)
  }

  @Test(arguments: ChatService.allCases)
  func `a text of one's own is sent instead, cut where it is too long`(service: ChatService)
    async throws
  {
    var own = parameters(service)
    own["text"] = "{{job}} & <{{outcome}}>"
    #expect(await bench.run("notify", own, facts: BuiltinBench.facts()) == .done)
    own["text"] = .string(String(repeating: "ü", count: 100_000))
    #expect(await bench.run("notify", own) == .done)
    let seen = try seen()
    let shown = service == .slack ? "job &amp; &lt;failed&gt;" : "job & <failed>"
    let texts = seen.map { service == .pagerduty ? $0.title ?? "" : $0.text }
    #expect(texts.first == shown)
    #expect(texts.last?.last == "…")
  }

  @Test func `what a service refuses is a failure`() async throws {
    var nobody = parameters(.telegram)
    nobody["chat"] = "nobody"
    #expect(await bench.run("notify", nobody) == .failed("status(400)"))
    var hidden = parameters(.ntfy)
    hidden["url"] = .string("http://127.0.0.1:\(server.port)/private")
    #expect(await bench.run("notify", hidden) == .failed("status(403)"))
    hidden["token"] = "tk_1"
    #expect(await bench.run("notify", hidden) == .done)
    #expect(!bench.lines.texts.contains { $0.contains("123:abc") })
  }

  @Test func `nothing is sent without what a service needs`() async throws {
    var keyless = parameters(.pagerduty)
    keyless["token"] = ""
    #expect(await bench.run("notify", keyless) == .failed("parameters"))
    #expect((try? seen())?.isEmpty != false)
  }

  @Test(
    arguments: [
      (["to": "slack"], ["to"]), (["to": "telegram", "token": "t"], ["to"]),
      (["to": "slack", "url": "https://a/x", "chat": "c"], ["chat"]),
      (["to": "teams", "url": "a/x"], ["url"]),
      (["to": "ntfy", "url": "https://ntfy.sh/"], ["url"]),
      (["to": "ntfy", "url": "https://ntfy.sh/x", "priority": .integer(5)], []),
      (["to": "telegram", "token": "{{secret.T}}", "chat": "@ops"], []),
      (["to": "discord"], ["to"]),
      (["to": "discord", "url": "https://a/x", "user": "u"], ["user"]),
      (["to": "ntfy", "url": "https://ntfy.sh/x", "priority": .integer(6)], ["priority"]),
      (["to": "gotify", "url": "https://a"], ["to"]),
      (
        ["to": "matrix", "url": "https://a", "token": "t", "chat": "#ops:example.org"], ["chat"]
      ),
      (["to": "matrix", "url": "https://a", "token": "t", "chat": "{{secret.ROOM}}"], []),
      (["to": "pushover", "token": "t"], ["to"]),
      (["to": "pushover", "token": "t", "user": "u", "priority": .integer(-2)], []),
      (["to": "pagerduty", "token": "t", "priority": .integer(1)], ["priority"]),
      (["to": "slack", "url": "https://a/x", "dedup_key": "k"], ["dedup_key"]),
      (["to": "pagerduty", "token": ""], ["to"]),
    ] as [(Parameters, [String?])])
  func `what a service needs, or has no use for, is reported`(
    parameters: Parameters, expected: [String?]
  ) {
    let problems = NotifyBuiltin().problems(in: parameters)
    #expect(problems.map(\.parameter) == expected)
    // After "the action 'notify': ", it must name its subject.
    #expect(problems.allSatisfy { !$0.message.hasPrefix("has ") && !$0.message.hasPrefix("with ") })
  }
}
