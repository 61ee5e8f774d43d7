import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// An HTTP connection with bounds on its user, the number of connections, and their resources.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  let count: ConnectionCount
  /// The user who may connect to a Unix socket; nil for a TCP listener.
  let user: uid_t?

  init(
    responder: @escaping HTTPChannelHandler.Responder, count: ConnectionCount, user: uid_t?,
    bounds: ConnectionGuard.Bounds
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: HTTP1Channel.Configuration(
        additionalChannelHandlers: [ConnectionGuard(bounds)], idleTimeout: nil,
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
    self.count = count
    self.user = user
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    guard count.enter() else {
      channel.close(promise: nil)
      return channel.eventLoop.makeFailedFuture(Refusal.tooManyConnections)
    }
    channel.closeFuture.whenComplete { _ in count.release() }
    // Nothing else closes a connection whose setup fails.
    return ask(channel).flatMap { http.setup(channel: channel, logger: logger) }
      .flatMapThrowing { value in
        // Later handlers see no authority in a target.
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try pipeline.addHandler(TargetGuard(), position: .after(decoder))
        return value
      }
      .flatMapErrorThrowing { error in
        channel.close(promise: nil)
        throw error
      }
  }

  /// Checks the user at the other end.
  private func ask(_ channel: any Channel) -> EventLoopFuture<Void> {
    guard let user else { return channel.eventLoop.makeSucceededVoidFuture() }
    guard let options = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(Refusal.anotherUser)
    }
    return options.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
      .flatMapThrowing { (peer: SocketPeer) in
        // Root may do everything anyway.
        guard peer.uid == user || peer.uid == 0 else { throw Refusal.anotherUser }
      }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }

  private enum Refusal: Error {
    case tooManyConnections, anotherUser
  }
}

/// The system's data on the other end of a Unix socket: `struct ucred` of Linux.
struct SocketPeer: Sendable {
  var pid: pid_t
  var uid: uid_t
  var gid: gid_t
}
