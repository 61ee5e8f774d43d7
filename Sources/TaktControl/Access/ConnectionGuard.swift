import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request takes too long, or is too large.
///
/// For the connection's event loop only.
final class ConnectionGuard: ChannelInboundHandler, ChannelOutboundHandler, RemovableChannelHandler
{
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Bounds: Sendable {
    /// From the start to the end of the first head.
    var head = TimeAmount.seconds(10)
    /// From an answer to the end of the next head.
    var idle = TimeAmount.seconds(60)
    /// From the answer to an invalid request to the end: further bytes of the client are read, so
    /// that it sees the answer.
    var farewell = TimeAmount.seconds(2)
    /// From the end of a head to the end of its body.
    var body = TimeAmount.seconds(30)
    /// The time for which the client may read nothing.
    var stall = TimeAmount.seconds(60)
    var bodyBytes = ControlContext.bodyBytesMax
  }

  private let bounds: Bounds
  private var deadline: Scheduled<Void>?
  private var stall: Scheduled<Void>?
  private var bodyBytes = 0
  private var isReading = false
  private var openAnswers = 0

  init(_ bounds: Bounds) { self.bounds = bounds }

  func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { deadline = close(context, after: bounds.head) }
  }

  func channelActive(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = close(context, after: bounds.head)
    context.fireChannelActive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { cancelAll() }

  func channelInactive(context: ChannelHandlerContext) {
    cancelAll()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      bodyBytes = 0
      isReading = true
      openAnswers += 1
      deadline?.cancel()
      deadline = close(context, after: bounds.body)
    case .body(let buffer):
      bodyBytes += buffer.readableBytes
      // The answer, if any, has been sent before.
      if bodyBytes > bounds.bodyBytes + (1 << 20) { return context.close(promise: nil) }
    case .end:
      isReading = false
      startIdleTimer(context)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where openAnswers == 0 && head.status == .badRequest:
      return refuse(context, head, promise)
    case .end:
      openAnswers -= 1
      if !isReading || openAnswers < 0 { startIdleTimer(context) }
    case .head, .body: break
    }
    context.write(data, promise: promise)
  }

  /// Gives the decoder's answer to an invalid request the body that other refusals have.
  private func refuse(
    _ context: ChannelHandlerContext, _ head: HTTPResponse, _ promise: EventLoopPromise<Void>?
  ) {
    let refusal = Problem(
      .badRequest, "the request cannot be read",
      detail: "It is not valid HTTP, or its head is larger than 32 KB, 100 fields, "
        + "or 8 KB in a field or in path and query.")
    let body = ByteBuffer(bytes: refusal.bytes)
    var head = head
    head.headerFields[.contentType] = Problem.contentType
    head.headerFields[.contentLength] = "\(body.readableBytes)"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    stall?.cancel()
    stall = context.channel.isWritable ? nil : close(context, after: bounds.stall)
    context.fireChannelWritabilityChanged()
  }

  /// Called after a whole request: only the answer is awaited, and then the next request.
  private func startIdleTimer(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    // The decoder answers an invalid request, and stops reading.
    if openAnswers < 0 {
      deadline = close(context, after: bounds.farewell)
      return
    }
    deadline = openAnswers == 0 ? close(context, after: bounds.idle) : nil
  }

  private func close(_ context: ChannelHandlerContext, after delay: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: delay) { channel.close(promise: nil) }
  }

  private func cancelAll() {
    deadline?.cancel()
    stall?.cancel()
  }
}
