import Glibc
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// An HTTP connection with bounds on who may open it, how many there are, and what it may take.
struct GuardedChannel: ServerChildChannel {
  let http: HTTP1Channel
  let count: ConnectionCount
  /// Who may connect to a Unix socket; nil for a TCP listener.
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
    guard count.enter() else { return refuse(channel, .tooManyConnections) }
    channel.closeFuture.whenComplete { _ in count.leave() }
    guard let user, let options = channel as? any SocketOptionProvider else {
      return http.setup(channel: channel, logger: logger)
    }
    return options.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
      .flatMap { (peer: Peer) in
        // Root may do everything anyway.
        guard peer.uid == user || peer.uid == 0 else { return refuse(channel, .anotherUser) }
        return http.setup(channel: channel, logger: logger)
      }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }

  /// Nobody else closes a connection that was never set up.
  private func refuse(
    _ channel: any Channel, _ refusal: Refusal
  ) -> EventLoopFuture<HTTP1Channel.Value> {
    channel.close(promise: nil)
    return channel.eventLoop.makeFailedFuture(refusal)
  }

  /// What the system says of who is at the other end: `struct ucred` of Linux.
  private struct Peer: Sendable {
    var pid: pid_t
    var uid: uid_t
    var gid: gid_t
  }

  private enum Refusal: Error {
    case tooManyConnections, anotherUser
  }
}
