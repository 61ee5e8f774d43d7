/// Why a state folder, or a file in it, is not used: somebody else could have made it, or could
/// change it.
package struct StateFolderProblem: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Kind: Hashable, Sendable {
    /// A symbolic link.
    case link
    /// Another kind of file than it should be.
    case wrongType
    /// It belongs to this user.
    case owner(UInt32)
    /// Others may write it, by this mode.
    case writable(mode: UInt32)
    /// It has other names as well.
    case hardLinks(Int)
  }

  /// What is refused.
  package var path: String
  /// Why.
  package var kind: Kind
  /// Whether it is a folder above the state folder.
  package var isParent = false

  /// What happened, and what to do.
  package var sentence: String {
    let another = "set 'scheduler.state' to another folder"
    switch kind {
    case .link:
      return "\(path) is a symbolic link, which takt does not follow here. Remove the link, or "
        + "set 'scheduler.state' to the folder that it points to."
    case .wrongType:
      return "\(path) is not a \(isParent ? "folder" : "regular file or folder of takt's own"). "
        + "Move it away, or \(another)."
    case .owner(let owner):
      return "\(path) belongs to the user with number \(owner), who could "
        + (isParent ? "replace the state folder in it." : "have written anything into it.")
        + " Move it away, or \(another)."
    case .writable(let mode):
      return "\(path) can be written by other users (mode 0\(String(mode, radix: 8))). "
        + "Run 'chmod go-w \(path)' if nobody has changed it, or \(another)."
    case .hardLinks(let count):
      return "\(path) has \(count) hard links, and takt would change the file under each name. "
        + "Replace it with a copy of its own, or \(another)."
    }
  }
}
