import NIOCore
import NIOHTTP1

/// Replaces `Host` by the authority of a target in absolute form (`GET http://HOST/path`), as RFC
/// 9112, section 3.2.2, requires: later checks see what the client requests.
///
/// For the connection's event loop only.
final class TargetGuard: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private var hasRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasRefused else { return }
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    let isAbsolute = head.method != .CONNECT && !head.uri.hasPrefix("/") && head.uri != "*"
    guard isAbsolute else { return context.fireChannelRead(data) }
    guard let authority = Self.authority(of: head.uri) else {
      hasRefused = true
      // The decoder's error for an invalid request: it is answered, and the connection ends.
      return context.fireErrorCaught(HTTPParserError.invalidURL)
    }
    // A head with two of them, or with none, stays wrong.
    if head.headers["Host"].count == 1 { head.headers.replaceOrAdd(name: "Host", value: authority) }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  /// Nil for a target of another scheme than http and https, and for one without a host or with a
  /// user.
  static func authority(of target: String) -> String? {
    let lower = target.lowercased()
    guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else { return nil }
    let authority = target.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
    guard let first = authority.first, first != UInt8(ascii: ":"),
      !authority.contains(UInt8(ascii: "@"))
    else { return nil }
    return String(Substring(authority))
  }
}
