package import Glibc

/// What stands at a path.
package enum FileType: String, Hashable, Sendable, CaseIterable {
  case file
  case folder
  case link
  case pipe
  case socket
  case device

  package init(_ mode: UInt32) {
    self =
      switch mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
  }

  /// With its article, as in a sentence.
  package var words: String { "a \(self == .link ? "symbolic link" : rawValue)" }
}

/// One folder, link or file on the way along a path, as the system describes it.
package struct FileFact: Hashable, Sendable {
  package var path: String
  package var type: FileType
  package var owner: UInt32
  package var group: UInt32
  /// Its twelve bits.
  package var mode: UInt32
  package var linkCount: Int
  /// The place of its folder among the facts; nil where the folder is not among them.
  package var folder: Int?

  package init(
    path: String, type: FileType = .file, owner: UInt32 = 0, group: UInt32 = 0, mode: UInt32,
    linkCount: Int = 1, folder: Int? = nil
  ) {
    self.path = path
    self.type = type
    self.owner = owner
    self.group = group
    self.mode = mode
    self.linkCount = linkCount
    self.folder = folder
  }

  package init(_ status: stat, path: String, folder: Int? = nil) {
    self.init(
      path: path, type: FileType(status.st_mode), owner: status.st_uid, group: status.st_gid,
      mode: status.st_mode & 0o7777, linkCount: Int(status.st_nlink), folder: folder)
  }

  package var isSticky: Bool { mode & 0o1000 != 0 }

  /// Whether others than the owner may write to it.
  package var isOpen: Bool { mode & 0o022 != 0 }

  /// The same for a folder further up: root's group is root there.
  var isOpenAbove: Bool { mode & 0o002 != 0 || (mode & 0o020 != 0 && group != 0) }

  /// Whether others than the owner may remove or replace what is in the folder.
  var isReplaceable: Bool { isOpen && !isSticky }
}

/// What a walk along a path has met, in order.
package struct FileTrail: Hashable, Sendable {
  package var facts: [FileFact]
  /// The place of what the whole path leads to; nil where that was not reached.
  package var last: Int?

  package init(_ facts: [FileFact], last: Int?) {
    self.facts = facts
    self.last = last
  }

  /// A file that is looked up in a folder which has been checked by itself.
  package init(_ file: FileFact) { self.init([file], last: 0) }
}
