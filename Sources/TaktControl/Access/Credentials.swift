import FoundationEssentials
import HTTPTypes
import Hummingbird
import TaktCore
import TaktSystem

struct Credentials: Sendable {
  private let tokens: [(token: Token, access: Access)]
  /// The calendar's token, which may be in an address.
  private let calendar: CalendarToken
  private let proxy: ProxyLogin?
  private let proxySecret: Token?
  /// True if all requests on this listener are the proxy's.
  private let isProxys: Bool

  /// Reads the files of the tokens; makes missing ones.
  ///
  /// - Parameters:
  ///   - tokenFile: the file of the token with all rights.
  ///   - isProxys: true for the proxy's socket.
  init(
    _ settings: HTTPSettings, tokenFile: String, cluster: ClusterTokens, calendar: CalendarToken,
    isProxys: Bool
  ) throws(Token.FileError) {
    let files: [(String?, FileTrust, Access)] = [
      (tokenFile, settings.tokenTrust, .full), (settings.operateTokenFile, .token, .operate),
      (settings.readTokenFile, .token, .read), (settings.proxy?.secretFile, .token, .none),
    ]
    var read: [(path: String, token: Token, access: Access)] = []
    for (path, row, access) in files {
      guard let path else { continue }
      let token = try Token(path: path, as: row)
      if let other = read.first(where: { $0.token == token }) {
        throw Token.FileError(message: "\(path) has the same token as \(other.path)")
      }
      read.append((path, token, access))
    }
    proxySecret = read.first { $0.access == .none }?.token
    tokens =
      read.filter { $0.access > .none }.map { ($0.token, $0.access) }
      + [(cluster.writing, Access.full), (cluster.reading, .read)].compactMap { shared, access in
        shared.map { ($0.token, access) }
      }
    try calendar.read(
      beside: tokenFile, as: settings.tokenTrust, others: read.map(\.token))
    self.calendar = calendar
    self.proxy = settings.proxy
    self.isProxys = isProxys
  }

  /// The client of a request.
  ///
  /// A token in the address of the calendar decides alone. Next is the proxy, which may pass on
  /// what a browser has sent to it in `Authorization`.
  ///
  /// - Throws: a `Problem` for invalid or ambiguous credentials.
  func login(of request: Request) throws -> Login {
    try calendarLogin(of: request) ?? proxyLogin(of: request) ?? tokenLogin(of: request)
  }

  /// Only the calendar's address may have a token, and only the calendar's own.
  private func calendarLogin(of request: Request) throws -> Login? {
    guard request.uri.path == CalendarToken.path else { return nil }
    let given = request.uri.queryParameters.filter { $0.key == CalendarToken.parameter }
      .map(\.value)
    guard let text = given.first else { return nil }
    guard given.count == 1, calendar.matches(text.utf8) else {
      throw Self.unauthorized(
        "the token in the address is wrong", "'takt open --calendar' prints the right address.")
    }
    return Login(access: .calendar)
  }

  private func proxyLogin(of request: Request) throws -> Login? {
    guard let proxy, let header = HTTPField.Name(proxy.header) else { return nil }
    let given = request.headers[values: header]
    guard let user = given.first else { return nil }
    let secrets = request.headers[values: .proxySecret]
    guard isProxys || (secrets.count == 1 && proxySecret?.matches(secrets[0].utf8) == true) else {
      throw Self.unauthorized(
        "the header '\(proxy.header)' is not the proxy's",
        "It counts only on the proxy's socket, or with the proxy's secret in "
          + "'\(ProxyLogin.secretHeader)'.")
    }
    guard given.count == 1 else {
      throw Problem(.badRequest, "a request must have at most one '\(proxy.header)'")
    }
    guard ProxyLogin.isName(user) else {
      throw Problem(
        .badRequest, "'\(proxy.header)' does not name a user",
        detail: "A name has 1 to \(ProxyLogin.nameBytesMax) ASCII characters, and no comma.")
    }
    guard let right = proxy.right(of: user) else {
      throw Problem(
        .forbidden, "user '\(user)' has no right here",
        detail: "Add the user under scheduler.http.proxy.users.")
    }
    return Login(access: right.access, user: user, isAmbient: true)
  }

  private func tokenLogin(of request: Request) throws -> Login {
    let given = request.headers[values: .authorization]
    guard given.count < 2 else {
      throw Problem(.badRequest, "a request must have at most one Authorization")
    }
    if let text = given.first {
      if let token = Self.words(of: text, after: "bearer "), let access = access(token.utf8) {
        return Login(access: access)
      }
      if let token = Self.words(of: text, after: "basic ").flatMap(Self.password),
        let access = access(token)
      {
        return Login(access: access, isAmbient: true)
      }
    }
    throw Self.unauthorized(
      "no token, or a wrong one",
      "Send 'Authorization: Bearer TOKEN'; 'takt open' prints the token.")
  }

  /// The rights of a token; nil for an unknown one. All tokens are compared, so that the time does
  /// not reveal the matching one.
  private func access(_ text: some Sequence<UInt8>) -> Access? {
    let text = Array(text)
    return tokens.filter { $0.token.matches(text) }.map(\.access).max()
  }

  private static func words(of text: String, after scheme: String) -> Substring? {
    text.prefix(scheme.count).lowercased() == scheme ? text.dropFirst(scheme.count) : nil
  }

  /// The password of Basic (RFC 7617), whatever the user is; nil for an invalid text.
  static func password(in text: Substring) -> [UInt8]? {
    guard let bytes = Data(base64Encoded: String(text)).map(Array.init),
      bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return Array(bytes[(colon + 1)...])
  }

  private static func unauthorized(_ title: String, _ detail: String) -> Problem {
    var problem = Problem(.unauthorized, title, detail: detail)
    // Not Basic: the browser would ask, in addition to the page's own dialog.
    problem.headers[.wwwAuthenticate] = "Bearer realm=\"takt\""
    return problem
  }
}

extension HTTPSettings {
  /// The trust rules for the file of the token with all rights. That of the calendar is beside it.
  var tokenTrust: FileTrust { tokenFile == nil ? .stateToken : .token }
}

extension HTTPField.Name {
  // The text is a valid name, so it is not nil.
  fileprivate static let proxySecret = HTTPField.Name(ProxyLogin.secretHeader) ?? .authorization
}
