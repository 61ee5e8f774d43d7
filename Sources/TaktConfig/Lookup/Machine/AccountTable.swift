import TaktCore

/// The answers of the machine's user database, asked for once a name however many jobs use it, and
/// what takt as it runs may make of them.
final class AccountTable {
  private let source: any AccountSource
  /// The number of the user as whom takt runs.
  private let userID: UInt32
  private(set) var answers: [UserAndGroup: Account?] = [:]

  init(_ source: any AccountSource, userID: UInt32) {
    self.source = source
    self.userID = userID
  }

  /// Reports a user that there is not, or as whom takt cannot run a job.
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

  /// Reports a group that there is not, or that takt cannot give to a job.
  func checkGroup(_ name: String, at mark: YAMLMark, reporter: Reporter) {
    guard let account = account(UserAndGroup(group: name)) else {
      // Without an account of its own takt can only be asked about the group of another.
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

  /// Whether takt itself has the user and the group that an identity names. One that is unknown is
  /// reported elsewhere.
  func isOwn(_ identity: UserAndGroup) -> Bool {
    guard identity != UserAndGroup(), let account = account(identity) else { return true }
    return account.uid == userID && account.gid == self.account(UserAndGroup())?.gid
  }

  /// The number of the user that an identity names; nil where that is takt's own, or nobody, or
  /// where takt cannot run a job as another.
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
