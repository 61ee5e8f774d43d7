/// Whom a request shows itself to come from.
struct Login: Equatable, Sendable {
  var access: Access
  /// Whether a browser adds it to requests by itself, also to those that another site's page makes.
  var isAmbient = false
}
