import Glibc
import TaktSystem

/// The reason why a state folder, or a file in it, is not used: somebody else could have made it,
/// or could change it.
package struct StateFolderProblem: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case link
    case wrongType
    case owner(UInt32)
    /// This user may not enter it, or write to it, and its owner may be another daemon's user.
    case closed(owner: UInt32)
    case writable(mode: UInt32)
    /// It has other names as well.
    case hardLinks(Int)
  }

  package var path: String
  package var kind: Kind
  /// True for a folder above the state folder.
  package var isParent = false

  package var sentence: String {
    let another = "set 'scheduler.state' to another folder"
    switch kind {
    case .link:
      return "\(path) is a symbolic link, which takt does not follow here. Remove the link, or "
        + "set 'scheduler.state' to the folder that it points to."
    case .wrongType:
      return "\(path) is not a \(isParent ? "folder" : "regular file or folder"). "
        + "Move it away, or \(another)."
    case .owner(let owner):
      return "\(path) is owned by user \(owner), who could "
        + (isParent ? "replace the state folder in it." : "have written anything into it.")
        + " Move it away, or \(another)."
    case .closed(let owner):
      return owner == geteuid()
        ? "\(path) is closed to its own user. Run 'chmod 700 \(path)', or \(another)."
        : "\(path) is owned by user \(owner), and user \(geteuid()) may not use it. "
          + "Run takt as user \(owner), or \(another)."
    case .writable(let mode):
      return "\(path) can be written by other users (mode 0\(String(mode, radix: 8))). "
        + "Run 'chmod go-w \(path)' if nobody has changed it, or \(another)."
    case .hardLinks(let count):
      return "\(path) has \(count) hard links, and takt would change the file under each name. "
        + "Replace it with a copy of its own, or \(another)."
    }
  }
}

extension StateFolderProblem {
  /// - Parameter isParent: true for a folder above the state folder.
  init(_ problem: Distrust, isParent: Bool = false) {
    path = problem.path
    self.isParent = isParent
    kind =
      switch problem.reason {
      case .wrongType(.link), .link: .link
      case .wrongType: .wrongType
      case .owner(let owner, _), .folderOwner(let owner), .newOwner(let owner, _): .owner(owner)
      case .writable(let mode), .folderWritable(let mode), .readable(let mode):
        .writable(mode: mode)
      case .hardLinks(let count): .hardLinks(count)
      case .otherName: .hardLinks(2)
      }
  }
}
