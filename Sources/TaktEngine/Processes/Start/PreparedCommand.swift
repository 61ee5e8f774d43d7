import Glibc
import TaktCore

struct PreparedCommand: Sendable {
  let command: Command
  let identity: ChildIdentity
  let secrets: [ReadSecret]

  /// May block for long.
  init(_ command: Command, _ accounts: any AccountSource) throws(StartFailure) {
    var command = command
    try command.complete?(&command)
    identity = try ChildIdentity(command.execution.identity, accounts)
    var secrets: [ReadSecret] = []
    let named = command.execution.secrets
    for (name, secret) in named.isEmpty ? [] : named.sorted(by: { $0.key < $1.key }) {
      let value = try SecretReader.value(of: secret, named: name, for: identity.account?.uid)
      secrets.append(ReadSecret(name: name, delivery: secret.delivery, value: value))
    }
    self.secrets = secrets
    self.command = command
  }
}

/// The user and groups that a child becomes.
struct ChildIdentity {
  /// The account for HOME, LOGNAME, USER and SHELL; nil if no user is named.
  var account: Account?
  /// The identity to change to; nil if takt already has it.
  var change: (uid: uid_t, gid: gid_t, groups: [gid_t])?

  /// Looks up the job's user and group. Throws if one does not exist: a command never runs as
  /// another user instead.
  init(_ identity: UserAndGroup, _ accounts: some AccountSource) throws(StartFailure) {
    guard !identity.isOwn else { return }
    guard let account = accounts.account(for: identity) else {
      let names = [identity.user, identity.group].compactMap(\.self).joined(separator: ":")
      throw StartFailure(stage: .user, number: ENOENT, subject: "'\(names)'")
    }
    if identity.user != nil { self.account = account }
    if !Self.isOwn(account) { change = (account.uid, account.gid, account.groups) }
  }

  private static func isOwn(_ account: Account) -> Bool {
    var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
    let count = getgroups(Int32(groups.count), &groups)
    return getuid() == account.uid && geteuid() == account.uid && getgid() == account.gid
      && getegid() == account.gid && count == groups.count && groups.sorted() == account.groups
  }
}
