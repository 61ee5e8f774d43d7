import TaktCore

/// Whom a request shows itself to come from.
struct Login: Equatable, Sendable {
  var access: Access
  /// The user whom the proxy names; nil for a token.
  var user: String?
  /// Whether a browser adds it to requests by itself, also to those that another site's page makes.
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
