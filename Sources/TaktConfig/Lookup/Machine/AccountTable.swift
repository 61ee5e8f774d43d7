import TaktCore

/// The answers of the machine's user database, requested once per name however many jobs use it,
/// and the rights of takt's own user.
final class AccountTable {
  private let source: any AccountSource
  /// The user ID that takt runs as.
  private let userID: UInt32
  private(set) var answers: [UserAndGroup: Account?] = [:]

  init(_ source: any AccountSource, userID: UInt32) {
    self.source = source
    self.userID = userID
  }

  /// Reports a user who does not exist, or as whom takt cannot run a job.
  func checkUser(_ name: String, at mark: YAMLMark, reporter: Reporter) {
    guard let account = account(UserAndGroup(user: name)) else {
      reporter.report(
        .unknownAccount, at: mark, "there is no user '\(name.shortened)'",
        hint: "write a name or number listed by 'getent passwd'")
      return
    }
    guard userID != 0, account.uid != userID else { return }
    reporter.report(
      .notPermitted, at: mark,
      "takt runs as \(ownName) and cannot run a job as '\(name.shortened)'",
      hint: "remove it, or run takt as root")
  }

  /// Reports a group that does not exist, or that takt cannot give to a job.
  func checkGroup(_ name: String, at mark: YAMLMark, reporter: Reporter) {
    guard let account = account(UserAndGroup(group: name)) else {
      // Without an account of its own, takt can only ask for a group together with another user.
      if account(UserAndGroup()) == nil, account(UserAndGroup(user: "0", group: name)) != nil {
        return
      }
      reporter.report(
        .unknownAccount, at: mark, "there is no group '\(name.shortened)'",
        hint: "write a name or number listed by 'getent group'")
      return
    }
    guard userID != 0, account.gid != self.account(UserAndGroup())?.gid else { return }
    reporter.report(
      .notPermitted, at: mark,
      "takt runs as \(ownName) and cannot run a job with the group '\(name.shortened)'",
      hint: "remove it, or run takt as root")
  }

  /// True if takt itself has the user and the group of an identity. An unknown one is reported
  /// elsewhere.
  func isOwn(_ identity: UserAndGroup) -> Bool {
    guard identity != UserAndGroup(), let account = account(identity) else { return true }
    return account.uid == userID && account.gid == self.account(UserAndGroup())?.gid
  }

  /// The user ID of an identity; nil for takt's own, for an unknown user, and if takt cannot run a
  /// job as another.
  func otherUser(in identity: UserAndGroup) -> UInt32? {
    guard userID == 0, identity.user != nil, let account = account(identity), account.uid != userID
    else {
      return nil
    }
    return account.uid
  }

  private var ownName: String {
    account(UserAndGroup()).map { "'\($0.name)'" } ?? "user \(userID)"
  }

  func account(_ identity: UserAndGroup) -> Account? {
    if let answer = answers[identity] { return answer }
    let answer = source.account(for: identity)
    answers[identity] = .some(answer)
    return answer
  }
}
