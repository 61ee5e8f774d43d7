import Glibc
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// One request and its answer, on a connection of its own.
final class ControlExchange: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: ControlRequest
  private let bounds: ControlClient.Bounds
  /// Nil after the end of the exchange.
  private var promise: EventLoopPromise<ControlClient.Answer>?
  private var answer = ControlClient.Answer(status: 0, bytes: [])
  private var patience: Scheduled<Void>?
  private var notice: Scheduled<Void>?

  private init(
    _ request: ControlRequest, _ bounds: ControlClient.Bounds,
    _ promise: EventLoopPromise<ControlClient.Answer>
  ) {
    self.request = request
    self.bounds = bounds
    self.promise = promise
  }

  /// Connects and sends; the future fails unless the answer is complete.
  static func start(
    _ request: ControlRequest, at path: String, _ bounds: ControlClient.Bounds,
    on loop: any EventLoop
  ) -> EventLoopFuture<ControlClient.Answer> {
    let promise = loop.makePromise(of: ControlClient.Answer.self)
    ClientBootstrap(group: loop)
      .connectTimeout(bounds.connect)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(ControlExchange(request, bounds, promise))
        }
      }
      .connect(unixDomainSocketPath: path)
      .cascadeFailure(to: promise)
    return promise.futureResult
  }

  func channelActive(context: ChannelHandlerContext) {
    waitForMore(context)
    context.write(wrapOutboundOut(.head(request.head)), promise: nil)
    if let body = request.body {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // The connection may deliver more than the answer.
    guard promise != nil else { return }
    waitForMore(context)
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head)
    case .body(let part): add(part, context)
    case .end: end(.success(answer), context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(.failure(error), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(.failure(ControlError("the daemon closed the connection without an answer")), context)
  }

  private func begin(_ head: HTTPResponseHead) {
    answer.status = Int(head.status.code)
    answer.droppedBytes =
      head.headers.first(name: HTTPField.Name.droppedBytes.rawName).flatMap { Int($0) } ?? 0
    answer.isKept = !head.headers.contains(name: HTTPField.Name.isNotKept.rawName)
    // A stream is silent while nothing happens.
    if isFollowed { stopTimers() }
  }

  private var isFollowed: Bool {
    request.receive != nil && answer.status > 0 && answer.status < 300
  }

  private func add(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
    if isFollowed {
      request.receive?(Array(buffer: part))
    } else if answer.bytes.count + part.readableBytes <= bounds.bodyBytes {
      answer.bytes.append(contentsOf: part.readableBytesView)
    } else {
      end(.failure(ControlError("the answer is longer than \(bounds.bodyBytes) bytes")), context)
    }
  }

  private func waitForMore(_ context: ChannelHandlerContext) {
    stopTimers()
    guard !isFollowed else { return }
    let loop = context.eventLoop.assumeIsolated()
    let limit = bounds.silence + request.wait
    let seconds = limit.nanoseconds / 1_000_000_000
    if let onSilence = request.onSilence {
      let delay = bounds.notice + request.wait
      let silence = ControlClient.Silence(
        pid: nil, seconds: delay.nanoseconds / 1_000_000_000, limitSeconds: seconds)
      notice = loop.scheduleTask(in: delay) {
        Self.notify(onSilence, of: silence, on: context.channel)
      }
    }
    patience = loop.scheduleTask(in: limit) { [self] in
      end(
        .failure(
          ControlError(
            "no answer for \(seconds) s; the daemon may hang, and may still carry out the request"
          )),
        context)
    }
  }

  private func stopTimers() {
    patience?.cancel()
    notice?.cancel()
  }

  /// Reports a silence, with the process at the other end.
  private static func notify(
    _ onSilence: @escaping @Sendable (ControlClient.Silence) -> Void,
    of silence: ControlClient.Silence, on channel: any Channel
  ) {
    guard let options = channel as? any SocketOptionProvider else { return onSilence(silence) }
    options.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
      .whenComplete { (result: Result<SocketPeer, any Error>) in
        var silence = silence
        silence.pid = try? result.get().pid
        onSilence(silence)
      }
  }

  private func end(
    _ result: Result<ControlClient.Answer, any Error>, _ context: ChannelHandlerContext
  ) {
    guard let promise else { return }
    self.promise = nil
    stopTimers()
    promise.completeWith(result)
    context.close(promise: nil)
  }
}
