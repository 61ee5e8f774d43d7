/// What the `for_each` of all files of a load may make together: a short text can stand for more than
/// fits into memory.
final class EachBudget {
  static let membersMax = 1_000_000
  static let megabytesMax = 64

  private var membersLeft = EachBudget.membersMax
  private var bytesLeft = EachBudget.megabytesMax << 20

  /// Why no more may be made; nil as long as more may be.
  var excess: String? {
    if membersLeft < 0 {
      return "more than \(Self.membersMax) jobs come of 'for_each'"
    }
    if bytesLeft < 0 {
      return "more than \(Self.megabytesMax) MB of text come of 'for_each'"
    }
    return nil
  }

  func spendMember() { membersLeft -= 1 }

  /// Whether a text of so many bytes may be made.
  func spend(_ text: String) -> Bool {
    if bytesLeft >= 0 { bytesLeft -= text.utf8.count }
    return bytesLeft >= 0
  }
}
