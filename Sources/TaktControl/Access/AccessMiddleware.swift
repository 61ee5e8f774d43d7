import HTTPTypes
import Hummingbird
import TaktCore

/// Admits authorized requests: on the control socket those of takt's own user; on other listeners
/// those with credentials, for one of takt's names, and not from another site's page.
struct AccessMiddleware: RouterMiddleware {
  /// Nil for the control socket.
  let credentials: Credentials?
  /// takt's names and addresses, without port, in lower case.
  let hosts: Set<String>
  /// The authority of a `public_url` of `https`, as `HTTPSettings.secureAuthority` gives it.
  var secureAuthority: String?

  func handle(
    _ request: Request, context: ControlContext,
    next: (Request, ControlContext) async throws -> Response
  ) async throws -> Response {
    guard let credentials else { return try await next(request, context) }
    let isProbe = Self.probes.contains(request.uri.path)
    // A health probe may use any host name: its answer reveals nothing.
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

  /// True for a request on the control socket, or with valid credentials.
  func trusts(_ request: Request) -> Bool {
    guard let credentials else { return true }
    return (try? credentials.login(of: request)) != nil
  }

  /// Paths that any client may request.
  private static let probes: Set<String> = ["/healthz", "/readyz"]

  /// Refuses a page whose own host name resolves to this machine.
  private func checkHost(_ request: Request) throws {
    guard let authority = request.head.authority,
      let host = Self.host(of: authority), hosts.contains(host)
    else {
      throw Problem(
        .forbidden, "unknown host name",
        detail: "Use takt's address, or add the name under scheduler.http.names.")
    }
  }

  /// True if a browser follows a link to the page, from a mail or after a login: the page with the
  /// link does not see the answer.
  private func isNavigation(_ request: Request) -> Bool {
    let isReading = request.method == .get || request.method == .head
    return isReading && request.uri.path == "/" && request.headers[.secFetchMode] == "navigate"
      && request.headers[.secFetchDest] == "document"
  }

  /// Refuses requests that a browser sends for other pages than takt's own, except for links to the
  /// page.
  private func checkOrigin(_ request: Request) throws {
    if let site = request.headers[.secFetchSite], site != "same-origin", site != "none",
      !isNavigation(request)
    {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
    guard let origin = request.headers[.origin] else { return }
    let authority = request.head.authority?.lowercased() ?? ""
    // If people reach the page by https, anyone on the network can forge a page of http.
    let isSecure = secureAuthority.map { [$0, "\($0):443"].contains(authority) } ?? false
    let schemes = isSecure ? ["https"] : ["http", "https"]
    guard schemes.contains(where: { "\($0)://\(authority)" == origin.lowercased() }) else {
      throw Problem(.forbidden, "requests from pages of other sites are refused")
    }
  }

  /// Requires the browser to confirm that the page is takt's: with an automatic login, any page
  /// could have it send requests. A wrong origin was refused before.
  private func requireOrigin(_ request: Request) throws {
    if request.headers[.secFetchSite] == "same-origin" || request.headers[.origin] != nil { return }
    throw Problem(
      .forbidden, "a change with this login needs an Origin",
      detail: "Send 'Origin: http://HOST', or the token as 'Authorization: Bearer TOKEN'.")
  }

  /// The host of `host:port`, in lower case; nil for an invalid authority.
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
  /// The host of a `public_url` of `https`, in lower case, with the port unless it is 443; nil
  /// without one.
  var secureAuthority: String? {
    guard let publicURL, publicURL.hasPrefix("https://") else { return nil }
    let authority = publicURL.dropFirst("https://".count).prefix { $0 != "/" }.lowercased()
    return authority.hasSuffix(":443") ? String(authority.dropLast(4)) : authority
  }
}

extension HTTPField.Name {
  // The texts are valid names, so none is nil.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
  fileprivate static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode") ?? .origin
  fileprivate static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest") ?? .origin
}
