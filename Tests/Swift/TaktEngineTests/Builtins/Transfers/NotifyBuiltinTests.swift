import Foundation
import TaktCore
import TaktSystem
import TaktTime
import TaktTesting
import Testing

@testable import TaktEngine

/// `use: notify` against a server that takes what Slack, Teams, Telegram and ntfy take.
@Suite struct NotifyBuiltinTests {
  private struct Seen: Decodable {
    var kind: String
    var text: String
    var title: String?
    var priority: Int?
    var tags: [String]?
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
    if service == .ntfy { #expect(message.priority == 4 && message.tags == ["warning"]) }
  }

  @Test(arguments: ChatService.allCases)
  func `an output of any length and any letters is taken`(service: ChatService) async throws {
    for output in [
      String(repeating: "<&>😀", count: 30_000), String(repeating: "x\n", count: 100_000),
      "```\n" + String(repeating: "\u{0}\"\\", count: 5000),
    ] {
      let facts = BuiltinBench.facts(output: output)
      #expect(await bench.run("notify", parameters(service), facts: facts) == .done)
    }
    #expect(try seen().count == 3)
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
    #expect(seen.first?.text == shown)
    #expect(seen.last?.text.last == "…")
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

  @Test(
    arguments: [
      (["to": "slack"], ["to"]), (["to": "telegram", "token": "t"], ["to"]),
      (["to": "slack", "url": "https://a/x", "chat": "c"], ["chat"]),
      (["to": "teams", "url": "a/x"], ["url"]),
      (["to": "ntfy", "url": "https://ntfy.sh/"], ["url"]),
      (["to": "ntfy", "url": "https://ntfy.sh/x", "priority": .integer(5)], []),
      (["to": "telegram", "token": "{{secret.T}}", "chat": "@ops"], []),
    ] as [(Parameters, [String?])])
  func `what a service needs, or has no use for, is reported`(
    parameters: Parameters, expected: [String?]
  ) {
    #expect(NotifyBuiltin().problems(in: parameters).map(\.parameter) == expected)
  }
}
