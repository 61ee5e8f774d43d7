import TaktCore

/// The user or token of a request, with its rights.
struct Login: Equatable, Sendable {
  var access: Access
  /// The user whom the proxy names; nil for a token.
  var user: String?
  /// True if a browser adds it to requests by itself, even to those of another site's page.
  var isAmbient = false
}

extension ProxyLogin.Right {
  var access: Access {
    switch self {
    case .read: .read
    case .operate: .operate
    case .all: .full
    }
  }
}
