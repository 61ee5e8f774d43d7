/// The user and group of a child. Names or numbers in digits, looked up when an attempt starts.
package struct UserAndGroup: Hashable, Sendable {
  /// The user; nil for takt's own. With a user come its groups, HOME, LOGNAME, USER and SHELL.
  package var user: String?
  /// The group; nil for the user's own.
  package var group: String?

  package init(user: String? = nil, group: String? = nil) {
    self.user = user
    self.group = group
  }

  /// True if neither is named: takt's own.
  package var isOwn: Bool { user == nil && group == nil }
}
