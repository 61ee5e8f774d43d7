import Hummingbird
import NIOCore

/// What a request brings with it.
struct ControlContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Whether it came by the Unix socket, whose peer is known to be takt's own user.
  let isLocal: Bool
  /// Where its connection lives.
  let eventLoop: any EventLoop

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    eventLoop = source.channel.eventLoop
    isLocal = source.channel.localAddress?.protocol == .unix
  }
}
