import FoundationEssentials
import TaktCore
import TaktTransfer

/// A request as the parameters of `http` describe it, and the expected answer.
struct HTTPRequestSpec {
  var url: URL
  var method: String
  var headers: [(name: String, value: String)]
  var body: [UInt8]?
  var expected: StatusSet
  var retried: StatusSet
  var wantedText: String?
  var redirectsMax: Int
  var triesMax: Int
  var backoff: Duration
  var timeout: Duration
  var keptBytesMax: Int
  var trust: TransferTrust

  /// A parameter from which no request can be made.
  struct Mistake: Error {
    var reason: String
    var message: String

    static func redirect(_ why: String) -> Self {
      Self(reason: "redirects", message: "redirect not followed: \(why)")
    }
  }

  init(_ call: BuiltinCall) throws(Mistake) {
    url = try Self.url(call.text("url") ?? "")
    expected = try Self.statuses("expect", call)
    retried = try Self.statuses("retry_status", call)
    wantedText = call.text("body_contains")
    redirectsMax = call.integer("redirects", or: 5)
    triesMax = call.integer("retries", or: 2) + 1
    backoff = call.duration("backoff", or: .seconds(1))
    timeout = call.duration("timeout", or: .seconds(30))
    keptBytesMax = call.integer("max_body", or: 1024 * 1024)
    do throws(NetworkFailure) { trust = try Network.trust(call, within: timeout) } catch {
      throw Mistake(reason: error.reason, message: error.message)
    }

    body = call.text("body").map { Array($0.utf8) }
    var headers: [(name: String, value: String)] = []
    for (name, value) in (call.parameters["headers"]?.map ?? [:]).sorted(by: { $0.key < $1.key }) {
      headers.append((name, value.string))
    }
    let method = call.text("method")
    if body == nil, let facts = call.request.facts, method.map(Self.hasBody) ?? true {
      body = RunReport(facts, of: call.request).json
      if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        headers.append(("content-type", "application/json"))
      }
    }
    if let user = call.text("user") {
      let pair = "\(user):\(call.text("password") ?? "")"
      headers.append(("authorization", "Basic \(Data(pair.utf8).base64EncodedString())"))
    }
    self.method = method ?? (body == nil ? "GET" : "POST")
    self.headers = headers
    try check()
  }

  private static func hasBody(_ method: String) -> Bool {
    ["POST", "PUT", "PATCH"].contains(method)
  }

  private static func statuses(_ name: String, _ call: BuiltinCall) throws(Mistake) -> StatusSet {
    guard let set = StatusSet(call.texts(name)) else {
      throw Mistake(reason: "parameters", message: "'\(name)' contains an invalid status")
    }
    return set
  }

  /// - Parameter userHint: the sentence part that names the place for a user instead.
  static func url(
    _ text: String, userHint: String = "; use the parameters 'user' and 'password'"
  ) throws(Mistake) -> URL {
    guard let url = URL(string: text.percentEncoded), let scheme = url.scheme?.lowercased(),
      ["http", "https"].contains(scheme), url.host?.isEmpty == false
    else { throw Mistake(reason: "url", message: "the URL must start with http:// or https://") }
    guard url.user == nil, url.password == nil else {
      throw Mistake(reason: "url", message: "the URL contains a user" + userHint)
    }
    guard TransferAddress.isHost(url.host ?? "") else {
      throw Mistake(reason: "url", message: "the URL's host is not a host name")
    }
    guard url.port.map({ (1...65_535).contains($0) }) ?? true else {
      throw Mistake(reason: "url", message: "the URL's port is invalid")
    }
    return url
  }

  /// Keeps a header from containing another one.
  private func check() throws(Mistake) {
    for (name, value) in headers {
      let isName = !name.isEmpty && name.utf8.allSatisfy { Self.tokenBytes.contains($0) }
      let isValue = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7f) || $0 == 9 }
      if !isName || !isValue {
        throw Mistake(
          reason: "header", message: "a header contains a character that is not allowed")
      }
    }
  }

  private static let tokenBytes = Set(
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

  /// The URL of the request without parts that may be secret.
  var target: String {
    let port = url.port.map { ":\($0)" } ?? ""
    let host = TransferAddress.bracketed(url.host ?? "")
    return SensitiveText.masked(
      "\(url.scheme ?? "")://\(host)\(port)\(url.path(percentEncoded: true))")
  }

  func request(within timeout: Duration) -> HTTPRequest {
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    var headers = headers
    if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
      headers.append(("user-agent", "takt"))
    }
    return HTTPRequest(
      address: TransferAddress(
        scheme: url.scheme?.lowercased() ?? "", host: url.host ?? "", port: url.port),
      target: (path.isEmpty ? "/" : path) + query, method: method, headers: headers, body: body,
      trust: trust, timeout: timeout, keptBytesMax: keptBytesMax,
      discardedBytesMax: Self.discardedBytesMax)
  }

  /// Bytes of a body that are read and discarded; beyond that, the connection is not worth keeping.
  private static let discardedBytesMax = 16 * 1024 * 1024

  /// The request that follows a redirection. Throws if there is none, or if following it is not
  /// safe.
  func following(_ answer: HTTPReply) throws(Mistake) -> HTTPRequestSpec {
    guard let location = answer.first("location"),
      let next = URL(string: location.percentEncoded, relativeTo: url)?.absoluteURL,
      let checked = try? Self.url(next.absoluteString)
    else { throw .redirect("its target is not a valid URL") }
    // A request over https must not become readable.
    if url.scheme?.lowercased() == "https", checked.scheme?.lowercased() == "http" {
      throw .redirect("it leads from https to http")
    }
    var spec = self
    spec.url = checked
    let becomesGet =
      answer.status == 303 || ([301, 302].contains(answer.status) && method == "POST")
    if becomesGet, method != "HEAD" {
      spec.method = "GET"
      spec.body = nil
      spec.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
    }
    guard Self.server(of: url) != Self.server(of: checked) else { return spec }
    // Another server gets nothing that may be a credential, and in a body anything may be one.
    guard spec.body == nil else { throw .redirect("it would send the body to another server") }
    let harmless = ["accept", "accept-language", "content-type", "user-agent"]
    spec.headers.removeAll { !harmless.contains($0.name.lowercased()) }
    return spec
  }

  /// The parts of a URL that identify its server.
  private static func server(of url: URL) -> [String] {
    let scheme = url.scheme?.lowercased() ?? ""
    return [
      scheme, url.host?.lowercased() ?? "", "\(url.port ?? (scheme == "https" ? 443 : 80))",
    ]
  }

  static let redirections: Set<Int> = [301, 302, 303, 307, 308]
}

/// The statuses that a list of words names: `200`, `2xx`, `200..299`.
struct StatusSet: Equatable {
  private var ranges: [ClosedRange<Int>] = []

  init?(_ words: [String]) {
    for word in words {
      guard let range = Self.range(word) else { return nil }
      ranges.append(range)
    }
  }

  static func range(_ word: String) -> ClosedRange<Int>? {
    if word.utf8.count == 3, word.lowercased().hasSuffix("xx"), let first = word.first,
      let hundreds = first.wholeNumberValue, (1...5).contains(hundreds)
    {
      return hundreds * 100...hundreds * 100 + 99
    }
    let ends = word.split(separator: "..", omittingEmptySubsequences: false).map { Int($0) }
    guard let low = ends.first ?? nil, let high = ends.last ?? nil, ends.count <= 2,
      (100...599).contains(low), (low...599).contains(high)
    else { return nil }
    return low...high
  }

  func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}
