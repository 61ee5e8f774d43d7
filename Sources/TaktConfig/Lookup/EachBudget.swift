/// A bound on the expansion of `for_each` in all files of a load: a short text can expand to more
/// than fits into memory.
final class EachBudget {
  static let membersMax = 1_000_000
  static let megabytesMax = 64

  private var membersLeft = EachBudget.membersMax
  private var bytesLeft = EachBudget.megabytesMax << 20

  /// The reason to stop the expansion; nil within the bounds.
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

  /// Counts a text; false if it exceeds the bound.
  func spend(_ text: String) -> Bool {
    if bytesLeft >= 0 { bytesLeft -= text.utf8.count }
    return bytesLeft >= 0
  }
}
