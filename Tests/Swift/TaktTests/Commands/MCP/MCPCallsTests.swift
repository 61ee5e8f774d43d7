import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import takt

/// Concurrent calls of tools, and their lines.
@Suite(.ownThreads) struct MCPCallsTests {
  /// Lines that were sent, in order.
  private final class Sent: Sendable {
    private let lines = Mutex<[String]>([])
    private let isThere = DispatchSemaphore(value: 0)

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: [UInt8]) {
      lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
      isThere.signal()
    }

    /// Waits for the next line.
    func next() -> String {
      isThere.wait()
      return lines.withLock { $0.removeFirst() }
    }
  }

  /// A session with tools of this test: one that answers, and one that waits to be released.
  private struct Bench {
    let sent = Sent()
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let calls: MCPCalls
    var session: MCPSession

    init(version: String) {
      let (gate, begun, sent) = (gate, begun, sent)
      var control = ControlArgument()
      (control.givenFile, control.folder) = (nil, "/nowhere")
      calls = MCPCalls(control: control) { sent.add($0) }
      session = MCPSession(tools: [
        MCPTool("echo", "Echo", "Says it.") { (given: MCPArguments.Job, _) in
          try MCPResult(Array(#"{"said":"\#(given.job)"}"#.utf8), text: given.job)
        },
        MCPTool("wait", "Wait", "Waits.") { (_: MCPArguments.None, _) in
          begun.signal()
          gate.wait()
          return try MCPResult(Array("{}".utf8))
        },
        MCPTool(
          "change", "Change", "Waits, and changes something.",
          .change(isDestructive: false, isIdempotent: true)
        ) { (_: MCPArguments.None, _) in
          begun.signal()
          gate.wait()
          return try MCPResult(Array("{}".utf8))
        },
      ])
      say(
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(version)"}}"#
      )
      _ = sent.next()
    }

    mutating func say(_ line: String) { calls.perform(session.receive(Array(line.utf8))) }

    mutating func call(_ id: Int, _ tool: String, _ arguments: String = "{}") {
      say(Self.request(id, tool, arguments))
    }

    static func request(_ id: Int, _ tool: String, _ arguments: String = "{}") -> String {
      #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }
  }

  @Test func `calls that change something are done in their order`() {
    var bench = Bench(version: "2025-06-18")
    for id in 1...3 { bench.call(id, "change") }
    for id in 1...3 {
      bench.begun.wait()
      // The next one has not begun.
      #expect(bench.begun.wait(timeout: .now()) == .timedOut)
      bench.gate.signal()
      #expect(bench.sent.next().contains(#""id":\#(id),"#))
    }
  }

  @Test func `a call that waits holds up no other`() {
    var bench = Bench(version: "2025-06-18")
    bench.call(1, "wait")
    bench.begun.wait()
    bench.call(2, "echo", #"{"job":"hello"}"#)
    #expect(
      bench.sent.next()
        == #"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hello"}],"structuredContent":{"said":"hello"},"isError":false}}"#
    )
    // The same name again, while the first is in progress.
    bench.call(1, "echo", #"{"job":"again"}"#)
    #expect(bench.sent.next().hasPrefix(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"#))
    bench.gate.signal()
    #expect(bench.sent.next().hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":"#))
    bench.calls.waitForAll()
    // Now it is free.
    bench.call(1, "echo", #"{"job":"free"}"#)
    #expect(bench.sent.next().contains(#""said":"free""#))
    #expect(bench.sent.all.isEmpty)
  }

  @Test func `a cancelled call is not answered`() {
    var bench = Bench(version: "2024-11-05")
    bench.call(1, "wait")
    bench.begun.wait()
    let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#
    bench.say(cancel)
    bench.gate.signal()
    bench.calls.waitForAll()
    #expect(bench.sent.all.isEmpty)
    // After the end of a request it has no effect.
    bench.say(cancel)
    bench.call(1, "echo", #"{"job":"hello"}"#)
    #expect(
      bench.sent.next()
        == #"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}],"isError":false}}"#
    )
  }

  @Test func `a batch is answered in one array, when all of it is done`() throws {
    var bench = Bench(version: "2025-03-26")
    let cancelled = Bench.request(2, "echo", #"{"job":"b"}"#)
    bench.say(
      "[\(Bench.request(1, "echo", #"{"job":"a"}"#)),\(cancelled),"
        + #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}},"#
        + #"{"jsonrpc":"2.0","id":3,"method":"ping"}]"#)
    let line = bench.sent.next()
    let answers = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [[String: Any]])
    #expect(answers.compactMap { $0["id"] as? Int } == [1, 3], "\(line)")
    bench.say(#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#)
    bench.calls.waitForAll()
    #expect(bench.sent.all.isEmpty)
  }

  @Test func `more calls at once than there is room for are refused`() {
    var bench = Bench(version: "2025-06-18")
    for id in 1...MCPCalls.threadsMax {
      bench.call(id, "wait")
      bench.begun.wait()
    }
    bench.call(99, "echo", #"{"job":"a"}"#)
    let refusal = bench.sent.next()
    #expect(refusal.contains(#""id":99"#) && refusal.contains(#""isError":true"#), "\(refusal)")
    #expect(refusal.contains("wait for an answer"))
    for _ in 1...MCPCalls.threadsMax { bench.gate.signal() }
    bench.calls.waitForAll()
    #expect(bench.sent.all.count == MCPCalls.threadsMax)
  }

  @Test(arguments: [
    ("{}", "the argument 'job' is missing"), (#"{"job":null}"#, "the argument 'job' is missing"),
    (#"{"job":7}"#, "'job' has the wrong type; the tool's schema says which it takes"),
    (#"{"job":["a"]}"#, "'job' has the wrong type; the tool's schema says which it takes"),
    (#"{"jop":"a"}"#, "unknown argument 'jop'; did you mean 'job'?"),
    (#"{"job":"a","zzzzz":1}"#, "unknown argument 'zzzzz'; the tool takes job"),
  ])
  func `wrong arguments are an answer that says what is right`(arguments: String, words: String)
    throws
  {
    var bench = Bench(version: "2025-06-18")
    bench.call(1, "echo", arguments)
    let line = bench.sent.next()
    let answer = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let result = try #require(answer["result"] as? [String: Any])
    let content = try #require(result["content"] as? [[String: Any]])
    #expect(result["isError"] as? Bool == true && result["structuredContent"] == nil)
    #expect(content.first?["text"] as? String == "echo: \(words)")
  }

  @Test func `lines are read up to a length, and the last one without its end`() throws {
    let folder = try TemporaryFolder()
    let longest = String(repeating: "a", count: MCPInput.lineBytesMax)
    let path = try folder.write(
      "one\n\n \t\r\ntwo\r\n\(longest)\n\(longest)a\nthree\n\(longest)\(longest)\(longest)\n\nfour",
      to: "lines")
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var input = MCPInput(descriptor: descriptor)
    var items: [MCPInput.Item] = []
    while let item = input.next() { items.append(item) }
    #expect(
      items == [
        .line(Array("one".utf8)), .line(Array("two\r".utf8)), .line(Array(longest.utf8)), .tooLong,
        .line(Array("three".utf8)), .tooLong, .line(Array("four".utf8)),
      ])
    #expect(input.next() == nil)
    var none = MCPInput(descriptor: -1)
    #expect(none.next() == .failed(EBADF) && none.next() == nil)
  }

  @Test func `a long line at the end is refused once`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      String(repeating: "a", count: 3 * MCPInput.lineBytesMax), to: "lines")
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var input = MCPInput(descriptor: descriptor)
    #expect(input.next() == .tooLong)
    #expect(input.next() == nil)
  }
}
