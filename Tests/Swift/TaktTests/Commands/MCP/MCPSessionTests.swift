import Foundation
import Testing

@testable import takt

/// The session of `takt mcp` with a client's lines, before any tool is called.
@Suite struct MCPSessionTests {
  private static func session() -> MCPSession { MCPSession(tools: MCPTool.all(operating: false)) }

  private static func initialize(_ version: String) -> String {
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)"}}"#
  }

  /// `1: -32600`, `"a": result` or `1: calls status` for each step.
  private static func summary(_ turn: MCPSession.Turn) throws -> [String] {
    try turn.steps.map { step in
      switch step {
      case .answer(let answer): try summary(answer)
      case .call(let call):
        "\(String(decoding: call.id.json, as: UTF8.self)): calls \(call.tool.name)"
      case .cancel(let id): "\(String(decoding: id.json, as: UTF8.self)): cancelled"
      }
    }
  }

  private static func summary(_ answer: [UInt8]) throws -> String {
    let text = String(decoding: answer, as: UTF8.self)
    #expect(!text.contains("\n"), "\(text)")
    let head = try #require(
      text.firstMatch(of: #/^\{"jsonrpc":"2\.0","id":(.*?),"(result|error)":/#))
    guard head.2 == "error" else { return "\(head.1): result" }
    return "\(head.1): \(try #require(error(of: answer)["code"] as? Int))"
  }

  private static func object(_ answer: [UInt8]) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any])
  }

  private static func error(of answer: [UInt8]) throws -> [String: Any] {
    try #require(try object(answer)["error"] as? [String: Any])
  }

  private static func answer(_ turn: MCPSession.Turn) throws -> [UInt8] {
    guard case .answer(let answer) = turn.steps.first else {
      throw TaktProcess.Silence(description: "no answer")
    }
    return answer
  }

  @Test(
    arguments: [
      // No JSON, or more than JSON.
      ("nonsense", ["null: -32700"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping""#, ["null: -32700"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping"}}"#, ["null: -32700"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#, ["null: -32700"]),
      (#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, ["null: -32700"]),
      ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\u{0}\"}", ["null: -32700"]),
      (String(repeating: "[", count: 100_000), ["null: -32700"]),
      // JSON, and no message.
      ("1", ["null: -32600"]), ("null", ["null: -32600"]), (#""ping""#, ["null: -32600"]),
      ("{}", ["null: -32600"]),
      (#"{"id":1,"method":"ping"}"#, ["1: -32600"]),
      (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, ["1: -32600"]),
      (#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, ["1: -32600"]),
      (#"{"jsonrpc":"2.0","id":1}"#, ["1: -32600"]),
      (#"{"jsonrpc":"2.0","id":1,"method":5}"#, ["1: -32600"]),
      (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, ["null: -32600"]),
      // Names of requests.
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, ["null: -32600"]),
      (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, ["null: -32600"]),
      (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, ["null: -32600"]),
      (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, ["null: -32600"]),
      (#"{"jsonrpc":"2.0","id":"","method":"ping"}"#, [#""": result"#]),
      (#"{"jsonrpc":"2.0","id":"a\"\n\u00e9","method":"ping"}"#, [#""a\"\né": result"#]),
      (#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#, ["0: result"]),
      (#"{"jsonrpc":"2.0","id":-7,"method":"ping"}"#, ["-7: result"]),
      (#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#, ["9007199254740993: result"]),
      (" { \"method\" : \"ping\", \"id\" : 1, \"jsonrpc\" : \"2.0\" } \r", ["1: result"]),
      // Methods and parameters.
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{}}}"#, ["1: result"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, ["1: -32602"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, ["1: result"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"Ping"}"#, ["1: -32601"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#, ["1: -32601"]),
      (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, ["1: -32602"]),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#,
        ["1: -32602"]
      ),
      // Before the session is initialized.
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, ["1: -32600"]),
      (
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}}"#, ["1: -32600"]
      ),
      (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, ["null: -32600"]),
      // Notifications and answers get no answer, valid or not.
      (#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, []),
      (#"{"jsonrpc":"2.0","method":"notifications/unheard","params":7}"#, []),
      (#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"status"}}"#, []),
      (#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, []),
      (#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}"#, []),
      (
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#,
        [#""a": cancelled"#]
      ),
      (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, []),
      (#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#, []),
    ] as [(String, [String])])
  func `each line gets its answer`(line: String, answers: [String]) throws {
    var session = Self.session()
    let turn = session.receive(Array(line.utf8))
    #expect(try Self.summary(turn) == answers)
    #expect(!turn.isBatch)
  }

  @Test func `bytes that are no UTF-8 are refused`() throws {
    var session = Self.session()
    let line =
      Array(#"{"jsonrpc":"2.0","id":"#.utf8) + [0x22, 0xff, 0x22]
      + Array(#","method":"ping"}"#.utf8)
    #expect(try Self.summary(session.receive(line)) == ["null: -32700"])
    #expect(try Self.summary(session.refuseTooLong(5)) == ["null: -32600"])
  }

  @Test(arguments: [
    (#""tools/list""#, "1: result"),
    (#""tools/list","params":{"cursor":"2"}"#, "1: -32602"),
    (#""initialize","params":{"protocolVersion":"2025-06-18"}"#, "1: -32600"),
    (#""tools/call""#, "1: -32602"),
    (#""tools/call","params":{"name":5}"#, "1: -32602"),
    (#""tools/call","params":{"name":"statsu"}"#, "1: -32602"),
    (#""tools/call","params":{"name":"trigger","arguments":{"job":"a"}}"#, "1: -32602"),
    (#""tools/call","params":{"name":"status","arguments":[]}"#, "1: -32602"),
    (#""tools/call","params":{"name":"status","arguments":null}"#, "1: calls status"),
    (#""tools/call","params":{"name":"status"}"#, "1: calls status"),
    (
      #""tools/call","params":{"name":"status","arguments":{},"_meta":{"progressToken":1}}"#,
      "1: calls status"
    ),
  ])
  func `an initialized session serves its tools`(method: String, answer: String) throws {
    var session = Self.session()
    _ = session.receive(Array(Self.initialize("2025-06-18").utf8))
    let turn = session.receive(Array(#"{"jsonrpc":"2.0","id":1,"method":\#(method)}"#.utf8))
    #expect(try Self.summary(turn) == [answer])
  }

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("1999-12-31", "2025-11-25"), ("", "2025-11-25"),
  ])
  func `the version is the asked one, or the newest`(asked: String, version: String) throws {
    var session = Self.session()
    let answer = try Self.answer(session.receive(Array(Self.initialize(asked).utf8)))
    let result = try #require(try Self.object(answer)["result"] as? [String: Any])
    #expect(result["protocolVersion"] as? String == version)
    #expect((result["capabilities"] as? [String: Any])?.keys.sorted() == ["tools"])
    let batch = session.receive(
      Array(
        """
        [{"jsonrpc":"2.0","id":1,"method":"ping"},5,{"jsonrpc":"2.0","method":"notifications/initialized"},\
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}}]
        """.utf8))
    let isKnown = version == "2025-03-26"
    #expect(batch.isBatch == isKnown)
    #expect(
      try Self.summary(batch)
        == (isKnown ? ["1: result", "null: -32600", "2: calls status"] : ["null: -32600"]))
    #expect(try Self.summary(session.receive(Array("[]".utf8))) == ["null: -32600"])
    let many =
      "[" + Array(repeating: "1", count: MCPSession.batchMax + 1).joined(separator: ",") + "]"
    #expect(try Self.summary(session.receive(Array(many.utf8))) == ["null: -32600"])
  }

  @Test func `an unknown tool is refused with the nearest name`() throws {
    var session = Self.session()
    _ = session.receive(Array(Self.initialize("2025-06-18").utf8))
    func message(_ tool: String) throws -> String {
      let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)"}}"#
      let answer = try Self.answer(session.receive(Array(line.utf8)))
      return try #require(try Self.error(of: answer)["message"] as? String)
    }
    #expect(try message("statsu") == "unknown tool 'statsu'; did you mean 'status'?")
    #expect(
      try message("qqqqqqqq").hasSuffix(
        "; the tools are status, jobs, job, slots, runs, logs, why, plan"))
    #expect(try message("cancel") == "the tool 'cancel' is there with 'takt mcp --operate' alone")
  }

  @Test(arguments: [false, true])
  func `each tool says what it takes and whether it changes something`(isOperating: Bool) throws {
    var session = MCPSession(tools: MCPTool.all(operating: isOperating))
    _ = session.receive(Array(Self.initialize("2025-06-18").utf8))
    let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
    let answer = try Self.answer(session.receive(Array(line.utf8)))
    let result = try #require(try Self.object(answer)["result"] as? [String: Any])
    let tools = try #require(result["tools"] as? [[String: Any]])
    let changing = ["trigger", "suspend", "resume", "cancel"]
    let names = tools.compactMap { $0["name"] as? String }
    #expect(names.filter(changing.contains) == (isOperating ? changing : []))
    for tool in tools {
      let name = try #require(tool["name"] as? String)
      let hints = try #require(tool["annotations"] as? [String: Any])
      #expect(hints["readOnlyHint"] as? Bool == !changing.contains(name))
      #expect(
        hints["destructiveHint"] as? Bool == (changing.contains(name) ? name != "resume" : nil))
      let schema = try #require(tool["inputSchema"] as? [String: Any])
      #expect(schema["type"] as? String == "object")
      #expect(schema["additionalProperties"] as? Bool == false)
      let fields = try #require(schema["properties"] as? [String: [String: Any]])
      #expect(
        fields.values.allSatisfy { $0["type"] is String && $0["description"] is String }, "\(name)")
    }
  }
}
