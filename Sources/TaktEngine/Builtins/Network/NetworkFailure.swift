import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TaktCore

/// The reasons that errors of the network are, in the words of the reference.
enum NetworkFailure {
  /// The reason of an error, whoever threw it.
  static func reason(of error: any Error) -> String {
    switch error {
    case let error as HTTPClientError: return reason(of: error)
    case let error as NIOConnectionError: return reason(of: error)
    case let error as IOError: return reason(of: error.errnoCode)
    case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return "tls"
    case HTTPParserError.invalidEOFState: return "closed"
    case is HTTPParserError: return "protocol"
    case ChannelError.connectTimeout: return "timeout"
    case is ChannelError: return "closed"
    case is SocketAddressError: return "dns"
    default: return "error"
    }
  }

  private static func reason(of error: HTTPClientError) -> String {
    switch error {
    case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
      .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout:
      return "timeout"
    case .cancelled: return LongAttempt.cancelled
    case .remoteConnectionClosed: return "closed"
    case .invalidProxyResponse, .proxyAuthenticationRequired: return "proxy"
    case .invalidURL, .emptyHost, .emptyScheme: return "url"
    default: return error.description.contains("unsupportedScheme") ? "url" : "protocol"
    }
  }

  private static func reason(of error: NIOConnectionError) -> String {
    let reasons = error.connectionErrors.map { reason(of: $0.error) }
    return reasons.first { $0 != "error" } ?? (reasons.isEmpty ? "dns" : "error")
  }

  static func reason(of number: Int32) -> String {
    switch number {
    case ECONNREFUSED: "refused"
    case ECONNRESET, EPIPE: "closed"
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: "unreachable"
    case ETIMEDOUT: "timeout"
    default: "error(\(ErrorName.of(number)))"
    }
  }

  /// One sentence on an error for people, without the libraries' own words.
  static func sentence(of error: any Error) -> String {
    let reason = reason(of: error)
    let meaning = reasons.first { $0.text == reason }?.meaning
    guard reason == "tls" else { return meaning ?? "the exchange failed: \(reason)" }
    // What the TLS library calls the mistake stands in capitals amid its own places.
    let word = "\(error)".split { !($0.isUppercase || $0 == "_") }.first { $0.contains("_") }
    return (meaning ?? reason) + (word.map { ": \($0)" } ?? "")
  }

  /// What the reference says of the reasons that both built-ins share.
  static let reasons = [
    BuiltinReason("refused", "nobody listens there"),
    BuiltinReason("unreachable", "no way leads there"),
    BuiltinReason("dns", "the host's name has no address"),
    BuiltinReason("timeout", "it took longer than `timeout`"),
    BuiltinReason("tls", "the server's certificate is not trusted, or TLS fails otherwise"),
    BuiltinReason("closed", "the server closed the connection too early"),
    BuiltinReason("protocol", "the server does not keep to the protocol"),
    BuiltinReason("cancelled", "it was stopped"),
    BuiltinReason("secret(NAME)", "the job has no secret of the name"),
    BuiltinReason("no_descriptors", "takt has run out of descriptors"),
    BuiltinReason("no_thread", "takt may start no more threads"),
  ]
}
