import NIOCore
import NIOPosix
import NIOSSL
import TaktCore

/// Hands one mail to a server. It blocks its thread.
struct SMTPDelivery {
  var host: String
  var port: Int
  var security: SMTPConversation.Security
  var trustedFile: String?
  var isInsecure: Bool
  var timeout: Duration
  var conversation: SMTPConversation

  func run(_ cancellation: Cancellation) -> SMTPHandler.End {
    let loop: any EventLoop
    do throws(NetworkLoop.Failure) {
      loop = try NetworkLoop.loop()
    } catch {
      return SMTPHandler.End(reason: error.reason, message: error.message)
    }
    let tls: NIOSSLContext?
    do {
      tls =
        security == .none
        ? nil
        : try NIOSSLContext(
          configuration: TLSConfiguration.client(trusting: trustedFile, isInsecure: isInsecure)
            ?? .makeClientConfiguration())
    } catch {
      return SMTPHandler.End(reason: "tls", message: NetworkFailure.sentence(of: error))
    }
    let promise = loop.makePromise(of: SMTPHandler.End.self)
    let time = TimeAmount.nanoseconds(min(timeout, .seconds(86_400)).nanosecondsSaturated)
    let timer = loop.scheduleTask(in: time) {
      promise.succeed(SMTPHandler.End(reason: "timeout", message: "no mail within the timeout"))
    }
    connect(loop, tls, promise, time)
    let end = cancellation.whileWatched(
      by: { promise.succeed(SMTPHandler.End(reason: LongAttempt.cancelled, message: "stopped")) }
    ) {
      // The promise is never failed.
      (try? promise.futureResult.wait())
        ?? SMTPHandler.End(reason: "error", message: "no result")
    }
    timer.cancel()
    return end
  }

  private func connect(
    _ loop: any EventLoop, _ tls: NIOSSLContext?,
    _ promise: EventLoopPromise<SMTPHandler.End>, _ time: TimeAmount
  ) {
    let delivery = self
    ClientBootstrap(group: loop)
      .connectTimeout(time)
      .channelInitializer { channel in
        // Whoever decides the end, the connection goes with it.
        promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
        return channel.eventLoop.makeCompletedFuture {
          try delivery.addHandlers(to: channel.pipeline.syncOperations, tls, promise)
        }
      }
      .connect(host: host, port: port)
      .whenFailure { error in
        promise.succeed(
          SMTPHandler.End(
            reason: NetworkFailure.reason(of: error), message: NetworkFailure.sentence(of: error)))
      }
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ tls: NIOSSLContext?,
    _ promise: EventLoopPromise<SMTPHandler.End>
  ) throws {
    let host = host
    let makeTLS = {
      guard let tls else { throw NIOSSLError.noCertificateToValidate }
      // An address is no name to ask for; the certificate is held against the peer's address then.
      let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
      return try NIOSSLClientHandler(context: tls, serverHostname: isAddress ? nil : host)
    }
    if security == .tls { try pipeline.addHandler(makeTLS()) }
    try pipeline.addHandler(SMTPHandler(conversation, makeTLS: makeTLS, promise: promise))
  }
}
