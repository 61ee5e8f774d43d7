/// One folder, link or file on the way along a path, as the system describes it.
package struct FileFact: Hashable, Sendable {
  package var path: String
  package var type: FileType
  package var owner: UInt32
  package var group: UInt32
  /// The twelve permission bits.
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

  package init(_ status: FileStatus, path: String, folder: Int? = nil) {
    self.init(
      path: path, type: status.type, owner: status.owner, group: status.group, mode: status.mode,
      linkCount: status.linkCount, folder: folder)
  }

  package var isSticky: Bool { mode & 0o1000 != 0 }

  /// True if others than the owner may write to it.
  package var isOpen: Bool { mode & 0o022 != 0 }

  /// The same for a folder further up: root's group is root there.
  var isOpenAbove: Bool { mode & 0o002 != 0 || (mode & 0o020 != 0 && group != 0) }

  /// True if others than the owner may remove or replace the entries of the folder.
  var isReplaceable: Bool { isOpen && !isSticky }
}

/// The facts met on a walk along a path, in order.
package struct FileTrail: Hashable, Sendable {
  package var facts: [FileFact]
  /// The place of the path's target; nil if it was not reached.
  package var last: Int?

  package init(_ facts: [FileFact], last: Int?) {
    self.facts = facts
    self.last = last
  }

  /// A link on the way whose user does not own the path's target, and so may have made it to
  /// deceive; nil if there is none. A link of root's may lead anywhere.
  var strangeLink: FileFact? {
    guard let last else { return nil }
    return facts.first { $0.type == .link && $0.owner != 0 && $0.owner != facts[last].owner }
  }
}
