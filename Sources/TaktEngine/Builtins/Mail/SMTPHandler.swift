import NIOCore
import NIOSSL
import NIOTLS

/// Joins a conversation to a channel. It exists on the channel's loop alone.
final class SMTPHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How a conversation ended.
  struct End: Sendable {
    /// Nil for success.
    var reason: String?
    var message: String
  }

  private var conversation: SMTPConversation
  private var parser = SMTPReplyParser()
  private let makeTLS: () throws -> NIOSSLClientHandler
  private let promise: EventLoopPromise<End>
  private var isOver = false

  init(
    _ conversation: SMTPConversation, makeTLS: @escaping () throws -> NIOSSLClientHandler,
    promise: EventLoopPromise<End>
  ) {
    self.conversation = conversation
    self.makeTLS = makeTLS
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let buffer = unwrapInboundIn(data)
    do {
      let replies = try parser.take(buffer.readableBytesView)
      for (index, reply) in replies.enumerated() {
        let actions = conversation.received(reply)
        let isLast = index == replies.count - 1 && parser.isEmpty
        // What was sent in the clear before TLS must not be taken for what comes through it.
        if actions.contains(.startTLS), !isLast { throw SMTPReplyParser.Nonsense() }
        perform(actions, context)
      }
    } catch {
      end(End(reason: "protocol", message: "the server's answer is none"), context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted = event { perform(conversation.secured(), context) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(
      End(reason: NetworkFailure.reason(of: error), message: NetworkFailure.sentence(of: error)),
      context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(End(reason: "closed", message: "the server closed the connection"), context)
    context.fireChannelInactive()
  }

  private func perform(_ actions: [SMTPConversation.Action], _ context: ChannelHandlerContext) {
    for action in actions {
      switch action {
      case .send(let text):
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
      case .startTLS:
        do {
          try context.pipeline.syncOperations.addHandler(makeTLS(), position: .first)
        } catch {
          end(End(reason: "tls", message: NetworkFailure.sentence(of: error)), context)
        }
      case .end(let reason, let message):
        end(End(reason: reason, message: message), context)
      }
    }
  }

  private func end(_ end: End, _ context: ChannelHandlerContext) {
    guard !isOver else { return }
    isOver = true
    promise.succeed(end)
    context.close(promise: nil)
  }
}
