import Testing

@testable import TaktEngine

/// A plugin's messages as events.
@Suite struct PluginConversationTests {
  private func events(
    _ text: String, isService: Bool = false, pieces: Int = .max
  ) -> [PluginConversation.Event] {
    var conversation = PluginConversation(isService: isService)
    var result: [PluginConversation.Event] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(piece.count)
      piece.withUnsafeBytes { conversation.feed($0) { result.append($0) } }
    }
    return result
  }

  private let hello = #"{"type":"hello","protocol":1,"name":"x"}"# + "\n"

  @Test(arguments: [1, 2, 7, 1000])
  func `lines are understood however they come`(pieces: Int) {
    let text = hello + "\r\n" + #"{"type":"progress","percent":50,"later":[{}]}"# + "\n"
    #expect(
      events(text, pieces: pieces) == [
        .hello(name: "x", version: nil, capabilities: []),
        .progress(run: nil, percent: 50, message: nil),
      ])
  }

  @Test(arguments: [
    ("{", PluginFault.badJSON), ("[]", .badJSON), ("nothing", .badJSON),
    (#"{"run":"1"}"#, .badJSON),
    (#"{"type":"log","message":"\u{0}"}"#, .badJSON), (#"{"type":"log","message":7}"#, .badMessage),
    (#"{"type":"log"}"#, .badMessage),
    (#"{"type":"log","message":"x","level":"loud"}"#, .badMessage),
    (#"{"type":"progress","percent":101}"#, .badMessage), (#"{"type":"pong"}"#, .badMessage),
    (#"{"type":"metric","name":"x","value":"y"}"#, .badMessage),
    (#"{"type":"result","status":"good"}"#, .badMessage),
    (#"{"type":"result","status":"failed","reason":"a b"}"#, .badMessage),
    (#"{"type":"hello","protocol":2}"#, .wrongProtocol),
    (String(repeating: "[", count: 60_000), .badJSON),
  ])
  func `what breaks the rules is named, and nothing after it counts`(
    line: String, fault: PluginFault
  ) {
    let all = events(hello + line + "\n" + #"{"type":"result","status":"ok"}"# + "\n")
    #expect(all.count == 2)
    guard case .violation(fault, _)? = all.last else {
      Issue.record("\(all)")
      return
    }
  }

  @Test func `a line as long as it may be is taken, one byte more is not`() {
    let fits = #"{"type":"log","message":""#
    let room = PluginLines.lineBytesMax - fits.utf8.count - 2
    let line = fits + String(repeating: "x", count: room) + "\"}"
    #expect(events(hello + line + "\n").count == 2)
    #expect(events(hello + " " + line + "\n").last == .violation(.lineTooLong, run: nil))
    #expect(
      events(hello + String(repeating: "x", count: 70_000)).last
        == .violation(.lineTooLong, run: nil))
  }

  @Test func `nothing comes before hello`() {
    #expect(events(#"{"type":"result","status":"ok"}"# + "\n") == [.violation(.noHello, run: nil)])
  }

  @Test func `a service says of which run it speaks`() {
    let text = hello + #"{"type":"log","message":"x"}"# + "\n"
    #expect(events(text, isService: true).last == .violation(.badMessage, run: nil))
  }

  @Test func `a type that nobody knows is no fault`() {
    #expect(events(hello + #"{"type":"dance"}"# + "\n").last == .unknownType("dance"))
  }
}
