import Glibc

/// Why a state folder, or a file in it, is not used: somebody else could have made it, or could
/// change it.
package struct StateFolderProblem: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A symbolic link.
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
  /// Whether it is a folder above the state folder.
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

/// The folders above the state folder: whoever may rename in one of them may put another state
/// folder in the place of takt's.
struct StateParents {
  /// Users besides root who may own them.
  var trusted: Set<uid_t>

  /// Checks a folder, whose path holds no links, and all above it.
  func check(_ folder: String) throws(StateFolderProblem) {
    var path = ""
    try checkOne("/")
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      try checkOne(path)
    }
  }

  private func checkOne(_ path: String) throws(StateFolderProblem) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    func refuse(_ kind: StateFolderProblem.Kind) -> StateFolderProblem {
      StateFolderProblem(path: path, kind: kind, isParent: true)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw refuse(.link) }
    let owner = status.st_uid
    guard owner == 0 || trusted.contains(owner) || Self.isUnmapped(owner) else {
      throw refuse(.owner(owner))
    }
    let mode = status.st_mode & 0o7777
    // Where the sticky bit is, each renames what is his own alone. Root's group is root.
    let isShared = mode & 0o002 != 0 || (mode & 0o020 != 0 && status.st_gid != 0)
    if isShared, mode & 0o1000 == 0 { throw refuse(.writable(mode: mode)) }
  }

  /// Whether this is how a user namespace shows users that it does not know, such as the root of the
  /// machine.
  static func isUnmapped(_ user: uid_t) -> Bool { user == unmapped }

  /// Nil in the namespace that knows all users.
  private static let unmapped: uid_t? = {
    guard let map = read("/proc/self/uid_map"), let overflow = read("/proc/sys/kernel/overflowuid")
    else { return nil }
    let numbers = map.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    return numbers == [0, 0, 4_294_967_295]
      ? nil : uid_t(overflow.filter { !$0.isWhitespace })
  }()

  private static func read(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}
