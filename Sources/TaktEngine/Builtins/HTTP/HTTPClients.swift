import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import Synchronization

/// The pooled clients of all `http` runs, one for each proxy: made on first use, never closed.
enum HTTPClients {
  private static let made = Mutex<[ProxyEnvironment.Proxy?: HTTPClient]>([:])

  static let environment = ProxyEnvironment(
    Dictionary(
      uniqueKeysWithValues: [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy",
        "NO_PROXY",
      ].compactMap { name in getenv(name).map { (name, String(cString: $0)) } }))

  /// The client that goes through this proxy.
  static func client(for proxy: ProxyEnvironment.Proxy?) throws(NetworkLoop.Failure) -> HTTPClient {
    let loop = try NetworkLoop.loop()
    return made.withLock { made in
      if let client = made[proxy] { return client }
      let client = HTTPClient(
        eventLoopGroupProvider: .shared(loop), configuration: configuration(proxy))
      made[proxy] = client
      return client
    }
  }

  private static func configuration(
    _ proxy: ProxyEnvironment.Proxy?
  ) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow, timeout: .init(connect: .seconds(60)))
    configuration.httpVersion = .http1Only
    // A refused connection is refused now, not at the end of the timeout.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.connectionPool.idleTimeout = .seconds(15)
    if let proxy {
      configuration.proxy = .server(
        host: proxy.host, port: proxy.port,
        authorization: proxy.user.map {
          .basic(username: $0, password: proxy.password ?? "")
        })
    }
    return configuration
  }
}
