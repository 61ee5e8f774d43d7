import AsyncHTTPClient

/// Which proxy leads to a host, by the variables that curl reads too: `http_proxy`, `https_proxy`,
/// `HTTPS_PROXY`, `all_proxy`, `ALL_PROXY`, `no_proxy`, `NO_PROXY`. `HTTP_PROXY` in capitals counts
/// for nothing, as with curl: whoever sends a request to a CGI program can set it.
struct ProxyEnvironment {
  /// A proxy that speaks HTTP.
  struct Proxy: Hashable {
    var host: String
    var port: Int
    var user: String?
    var password: String?
  }

  private let variables: [String: String]

  init(_ variables: [String: String]) { self.variables = variables }

  /// Nil for no proxy. What the variable holds and is no proxy throws `BadProxy`.
  func proxy(scheme: String, host: String) throws(BadProxy) -> Proxy? {
    let names =
      scheme == "https"
      ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      : ["http_proxy", "all_proxy", "ALL_PROXY"]
    let values = names.compactMap { variables[$0] }.filter { !$0.isEmpty }
    guard let value = values.first, !isExempt(host) else { return nil }
    guard let proxy = Self.parse(value) else { throw BadProxy() }
    return proxy
  }

  /// A variable that names no HTTP proxy.
  struct BadProxy: Error {}

  private func isExempt(_ host: String) -> Bool {
    let list = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
    let host = host.lowercased()
    return list.split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
      if entry == "*" { return true }
      let domain = entry.drop { $0 == "." }.lowercased()
      return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }
  }

  /// `http://user:password@host:port`; the scheme may be left out, and the port is 1080 then, as
  /// with curl.
  static func parse(_ text: String) -> Proxy? {
    var rest = text[...]
    if let scheme = rest.range(of: "://") {
      guard rest[..<scheme.lowerBound].lowercased() == "http" else { return nil }
      rest = rest[scheme.upperBound...]
    }
    rest = rest.prefix { $0 != "/" }
    var proxy = Proxy(host: "", port: 1080)
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(
        separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      proxy.user = parts.first.map(String.init)
      proxy.password = parts.count > 1 ? String(parts[1]) : ""
      rest = rest[rest.index(after: at)...]
    }
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      guard let port = Int(rest[rest.index(after: colon)...]), (1...65_535).contains(port) else {
        return nil
      }
      proxy.port = port
      rest = rest[..<colon]
    }
    proxy.host = rest.filter { $0 != "[" && $0 != "]" }
    return proxy.host.isEmpty ? nil : proxy
  }
}

extension Substring {
  /// Where a text stands first.
  fileprivate func range(of text: String) -> Range<Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map {
      $0..<index($0, offsetBy: text.count)
    }
  }
}
