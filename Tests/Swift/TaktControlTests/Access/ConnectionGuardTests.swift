import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import TaktControl

/// The bounds of a connection, in virtual time.
@Suite struct ConnectionGuardTests {
  private static let head = HTTPRequest(method: .get, scheme: "http", authority: "takt", path: "/")

  private func channel() throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ConnectionGuard(ConnectionGuard.Bounds()))
    try channel.connect(to: SocketAddress(unixDomainSocketPath: "/takt")).wait()
    return channel
  }

  private func pass(_ seconds: Int64, _ channel: EmbeddedChannel) {
    channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
  }

  /// The seconds until it is closed; nil for more than `max`.
  private func secondsUntilClosed(_ channel: EmbeddedChannel, max: Int = 1000) -> Int? {
    (0...max).first { _ in
      if !channel.isActive { return true }
      pass(1, channel)
      return false
    }
  }

  private func ask(_ channel: EmbeddedChannel) throws {
    try channel.writeInbound(HTTPRequestPart.head(Self.head))
    try channel.writeInbound(HTTPRequestPart.end(nil))
  }

  private func answer(_ channel: EmbeddedChannel) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  @Test func `an answer to what is no request is the last one`() throws {
    let garbage = try channel()
    try answer(garbage)
    #expect(secondsUntilClosed(garbage) == 2)
    let second = try channel()
    try ask(second)
    try answer(second)
    try answer(second)
    #expect(secondsUntilClosed(second) == 2)
  }

  @Test func `the answer to what is no request says so, and others stay as they are`() throws {
    let channel = try channel()
    func answered(_ answer: HTTPResponse) throws -> [HTTPResponsePart] {
      try channel.writeOutbound(HTTPResponsePart.head(answer))
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      var parts: [HTTPResponsePart] = []
      while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
      return parts
    }
    let bare = HTTPResponse(status: .badRequest, headerFields: [.contentLength: "0"])
    try ask(channel)
    #expect(try answered(bare) == [.head(bare), .end(nil)])
    let parts = try answered(bare)
    guard parts.count == 3, case .head(let head) = parts[0], case .body(let body) = parts[1] else {
      Issue.record("\(parts)")
      return
    }
    #expect(head.headerFields[.contentLength] == "\(body.readableBytes)" && parts.last == .end(nil))
    #expect(head.headerFields[.contentType] == "application/problem+json")
    #expect(String(buffer: body).contains("the request cannot be read"))
  }

  @Test func `who says nothing is closed`() throws {
    let bounds = ConnectionGuard.Bounds()
    let seconds = try #require(secondsUntilClosed(try channel()))
    #expect(Int64(seconds) == bounds.head.nanoseconds / 1_000_000_000)
  }

  @Test func `a body has its own time, and an answer may take as long as it likes`() throws {
    let slow = try channel()
    try slow.writeInbound(HTTPRequestPart.head(Self.head))
    #expect(secondsUntilClosed(slow) == 30)
    let patient = try channel()
    try ask(patient)
    pass(100_000, patient)
    #expect(patient.isActive)
    try answer(patient)
    let bounds = ConnectionGuard.Bounds()
    #expect(secondsUntilClosed(patient) == Int(bounds.idle.nanoseconds / 1_000_000_000))
  }

  @Test func `who asks again in time stays`() throws {
    let channel = try channel()
    for _ in 0..<100 {
      try ask(channel)
      try answer(channel)
      pass(5, channel)
    }
    #expect(channel.isActive)
  }

  @Test func `requests that follow one another without waiting are all answered`() throws {
    let channel = try channel()
    try ask(channel)
    try ask(channel)
    try answer(channel)
    pass(1000, channel)
    #expect(channel.isActive)
    try answer(channel)
    #expect(secondsUntilClosed(channel) != nil)
  }

  @Test func `a body that is too long is cut off`() throws {
    let channel = try channel()
    try channel.writeInbound(HTTPRequestPart.head(Self.head))
    let part = ByteBuffer(repeating: 0, count: 1 << 20)
    for _ in 0..<9 { try channel.writeInbound(HTTPRequestPart.body(part)) }
    #expect(channel.isActive)
    _ = try? channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 0, count: 1)))
    #expect(!channel.isActive)
  }

  @Test func `who takes nothing of what he is given is closed`() throws {
    let channel = try channel()
    try ask(channel)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    pass(59, channel)
    #expect(channel.isActive)
    channel.isWritable = true
    channel.pipeline.fireChannelWritabilityChanged()
    pass(1000, channel)
    #expect(channel.isActive)
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
    #expect(secondsUntilClosed(channel) == 60)
  }

  @Test func `a listener counts its connections within the budget`() {
    let budget = ConnectionBudget(descriptors: 30)
    let count = ConnectionCount(budget)
    #expect((0..<12).map { _ in count.enter() } == (0..<12).map { $0 < 10 })
    count.release()
    #expect(count.enter() && !count.enter())
    // Those beyond a smaller budget stay, and no new one is accepted.
    budget.set(descriptors: 15)
    count.release()
    #expect(!count.enter())
    for _ in 0..<5 { count.release() }
    #expect(count.enter())
  }
}
