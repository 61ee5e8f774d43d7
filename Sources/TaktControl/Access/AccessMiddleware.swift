import HTTPTypes
import Hummingbird
import TaktCore

/// Lets through who may: by the control socket takt's own user, by another listener who shows who it is,
/// asks for a name that takt goes by, and does not come from another site's page.
struct AccessMiddleware: RouterMiddleware {
  /// Nil for the control socket.
  let credentials: Credentials?
  /// The names and addresses that takt goes by, without port, in lower case.
  let hosts: Set<String>
  /// The authority of a `public_url` of `https`, as `HTTPSettings.secureAuthority` gives it.
  var secureAuthority: String?

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    guard let credentials else { return try await next(request, context) }
    let isProbe = Self.probes.contains(request.uri.path)
    // A health probe may use any host name: it learns nothing.
    if !isProbe {
      try checkHost(request)
      try checkOrigin(request)
    }
    if isProbe || request.uri.path == "/" { return try await next(request, context) }
    var context = context
    context.login = try credentials.login(of: request)
    if context.login.isAmbient, request.method != .get, request.method != .head {
      try requireOrigin(request)
    }
    return try await next(request, context)
  }

  /// Whether a request comes by the control socket or shows who it is.
  func trusts(_ request: Request) -> Bool {
    guard let credentials else { return true }
    return (try? credentials.login(of: request)) != nil
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

  /// Whether a browser follows a link to the page, from a mail or after a login: the page that has the
  /// link does not see what comes back.
  private func isNavigation(_ request: Request) -> Bool {
    let isReading = request.method == .get || request.method == .head
    return isReading && request.uri.path == "/" && request.headers[.secFetchMode] == "navigate"
      && request.headers[.secFetchDest] == "document"
  }

  /// A browser says which page wants it; only takt's own may, but for links to the page.
  private func checkOrigin(_ request: Request) throws {
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none",
      !isNavigation(request)
    {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
    guard let origin = request.headers[.origin] else { return }
    let authority = request.head.authority?.lowercased() ?? ""
    // Where people reach the page by https, anybody in between can make a page of http.
    let isSecure = secureAuthority.map { [$0, "\($0):443"].contains(authority) } ?? false
    let schemes = isSecure ? ["https"] : ["http", "https"]
    guard schemes.contains(where: { "\($0)://\(authority)" == origin.lowercased() }) else {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
  }

  /// Where the browser logs in by itself, any page could have it send requests: the browser has to say
  /// that this one is takt's. That no wrong one is said was checked before.
  private func requireOrigin(_ request: Request) throws {
    if request.headers[.secFetchSite] == "same-origin" || request.headers[.origin] != nil { return }
    throw Problem(
      .forbidden, "a change with this login needs an Origin",
      detail: "Send 'Origin: http://HOST', or the token as 'Authorization: Bearer TOKEN'.")
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

extension HTTPSettings {
  /// The host, and the port where it is not 443, of a `public_url` of `https`, in lower case; nil for
  /// none.
  var secureAuthority: String? {
    guard let publicURL, publicURL.hasPrefix("https://") else { return nil }
    let authority = publicURL.dropFirst("https://".count).prefix { $0 != "/" }.lowercased()
    return authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
  }
}

extension HTTPField.Name {
  // The texts are valid names, so there are such.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
  fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode") ?? .origin
  fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest") ?? .origin
}
