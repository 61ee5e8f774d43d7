import HTTPTypes
import Hummingbird
import TaktCore

/// Lets through who may: by the Unix socket takt's own user, over TCP who bears a token, asks for
/// a name that takt goes by, and does not come from another site's page.
struct AccessMiddleware: RouterMiddleware {
  /// Nil where only the Unix socket is listened to.
  let token: Token?
  /// Those that the machines of the cluster share.
  var cluster = ClusterTokens()
  /// Whoever bears it may look and change nothing; nil for none.
  var readToken: Token?
  /// The names and addresses that takt goes by, without port, in lower case.
  let hosts: Set<String>

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    if context.isLocal { return try await next(request, context) }
    let isProbe = Self.probes.contains(request.uri.path)
    // A health probe may use any host name: it learns nothing.
    if !isProbe {
      try checkHost(request)
      try checkOrigin(request)
    }
    if isProbe || request.uri.path == "/" { return try await next(request, context) }
    var context = context
    context.access = try access(of: request)
    return try await next(request, context)
  }

  /// Whether a request comes by the Unix socket or bears the token.
  func trusts(_ request: Request, _ context: ControlContext) -> Bool {
    context.isLocal || knownAccess(of: request) != nil
  }

  /// What anybody may ask.
  private static let probes: Set<String> = ["/healthz", "/readyz"]

  /// A page that has made its own name mean this machine must not reach takt by it.
  private func checkHost(_ request: Request) throws {
    guard let authority = request.head.authority,
      let host = Self.host(of: authority), hosts.contains(host)
    else {
      throw Problem(
        .forbidden, "unknown host name",
        detail: "Use takt's address, or add the name under scheduler.http.names.")
    }
  }

  /// A browser says which page wants it; only takt's own may.
  private func checkOrigin(_ request: Request) throws {
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none" {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
    guard let origin = request.headers[.origin] else { return }
    let authority = request.head.authority ?? ""
    guard ["http://\(authority)", "https://\(authority)"].contains(origin.lowercased()) else {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
  }

  /// What the token of a request allows; nil without one, and with a wrong one.
  private func knownAccess(of request: Request) -> Access? {
    let prefix = "bearer "
    guard let given = request.headers[.authorization],
      given.prefix(prefix.count).lowercased() == prefix
    else { return nil }
    let text = given.dropFirst(prefix.count).utf8
    if token?.matches(text) == true || cluster.writing?.token.matches(text) == true { return .full }
    let mayRead = readToken?.matches(text) == true || cluster.reading?.token.matches(text) == true
    return mayRead ? .read : nil
  }

  private func access(of request: Request) throws -> Access {
    if let access = knownAccess(of: request) { return access }
    var problem = Problem(
      .unauthorized, "no token, or a wrong one",
      detail: "Send 'Authorization: Bearer TOKEN'; 'takt open' prints the token.")
    problem.headers[.wwwAuthenticate] = "Bearer realm=\"takt\""
    throw problem
  }

  /// The host of `host:port`, in lower case; nil for what is none.
  static func host(of authority: String) -> String? {
    var host = authority[...]
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let port = host[host.index(after: end)...]
      guard port.isEmpty || (port.hasPrefix(":") && port.dropFirst().allSatisfy(\.isNumber)) else {
        return nil
      }
      host = host[...end]
    } else if let colon = host.firstIndex(of: ":") {
      guard host[host.index(after: colon)...].allSatisfy(\.isNumber) else { return nil }
      host = host[..<colon]
    }
    return host.isEmpty ? nil : host.lowercased()
  }
}

extension HTTPField.Name {
  // The text is a valid name, so there is one.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
