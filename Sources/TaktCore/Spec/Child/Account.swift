/// A user of the machine, with everything that a child of this user needs.
package struct Account: Hashable, Sendable {
  package var name: String
  package var uid: UInt32
  /// The number of its primary group.
  package var gid: UInt32
  /// All groups it is in, the primary one too, in ascending order, each once.
  package var groups: [UInt32]
  package var home: String
  package var shell: String

  package init(
    name: String, uid: UInt32, gid: UInt32, groups: [UInt32], home: String, shell: String
  ) {
    self.name = name
    self.uid = uid
    self.gid = gid
    self.groups = groups
    self.home = home
    self.shell = shell
  }
}

/// Looks up users and groups.
///
/// Safe from any thread; may block for as long as the machine's user database takes.
package protocol AccountSource: Sendable {
  /// The account of an identity, with its group as the primary one if it names one; nil if there is
  /// no such user or group. Without a user: the process's own.
  func account(for identity: UserAndGroup) -> Account?
}
