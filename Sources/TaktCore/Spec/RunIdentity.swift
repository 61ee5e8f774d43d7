/// Whom a child runs as. Names or numbers in digits, looked up when an attempt starts.
public struct RunIdentity: Hashable, Sendable {
  /// The user; nil for takt's own. With a user come its groups, HOME, LOGNAME, USER and SHELL.
  public var user: String?
  /// The group; nil for the user's own.
  public var group: String?

  /// takt's own user and group unless told otherwise.
  public init(user: String? = nil, group: String? = nil) {
    self.user = user
    self.group = group
  }
}
