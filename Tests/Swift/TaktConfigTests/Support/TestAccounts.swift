import TaktCore

/// The users `root` and `worker` (1000) and the groups of their names and `adm` (4).
struct TestAccounts: AccountSource {
  /// The process's own user.
  var own = "worker"

  private static let users: [String: UInt32] = ["root": 0, "worker": 1000]
  private static let groups: [String: UInt32] = ["root": 0, "worker": 1000, "adm": 4]

  func account(for identity: UserAndGroup) -> Account? {
    let wanted = identity.user ?? own
    guard let (name, uid) = Self.users.first(where: { $0.key == wanted || "\($0.value)" == wanted })
    else { return nil }
    var account = Account(
      name: name, uid: uid, gid: uid, groups: [uid], home: "/home/\(name)", shell: "/bin/sh")
    if let group = identity.group {
      guard let gid = Self.groups[group] ?? UInt32(group) else { return nil }
      account.gid = gid
    }
    return account
  }
}
