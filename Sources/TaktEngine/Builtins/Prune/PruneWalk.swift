import Glibc
import TaktSystem
import TaktTime

/// The matching files below a root, and the folders.
struct PruneWalk {
  struct Folder {
    /// The index of the folder around it; nil for the root.
    var parent: Int?
    var name: PruneFile.Name
    var inode: UInt64
    var modified: WallInstant
    var depth: Int
  }

  enum Stop: Error {
    case cancelled, tooMany
  }

  /// As many as fit into memory without harm.
  static let filesMax = 1_000_000
  /// A walk holds a descriptor for each level.
  static let depthMax = 64

  private(set) var folders: [Folder] = []
  private(set) var files: [PruneFile] = []
  /// The paths that could not be read, with the error number.
  private(set) var troubles: [(path: String, number: Int32)] = []
  private let pattern: String?
  private let isRecursive: Bool
  private let cancellation: Cancellation
  private let device: UInt64

  init(
    _ root: PruneFolder, pattern: String?, recursive isRecursive: Bool, cancellation: Cancellation
  ) throws(Stop) {
    self.pattern = pattern
    self.isRecursive = isRecursive
    self.cancellation = cancellation
    device = root.status.identity.device
    try visit(root, parent: nil, name: PruneFile.Name(bytes: [0]))
  }

  private mutating func visit(
    _ folder: PruneFolder, parent: Int?, name: PruneFile.Name
  ) throws(Stop) {
    let place = folders.count
    let depth = parent.map { folders[$0].depth + 1 } ?? 0
    folders.append(
      Folder(
        parent: parent, name: name, inode: folder.status.identity.inode,
        modified: folder.status.modified, depth: depth))
    var inner: [PruneFile.Name] = []
    var stop: Stop?
    do throws(SystemError) {
      try folder.forEachName { entry in
        if cancellation.isCancelled { stop = .cancelled }
        if files.count >= Self.filesMax || folders.count + inner.count >= Self.filesMax {
          stop = .tooMany
        }
        guard stop == nil else { return false }
        if let status = folder.status(of: entry) {
          visit(entry, status, in: place, &inner)
        }
        return true
      }
    } catch {
      troubles.append((path(of: place), error.number))
    }
    if let stop { throw stop }
    for entry in inner { try descend(entry, from: folder, place, depth: depth) }
  }

  private mutating func visit(
    _ name: PruneFile.Name, _ status: FileStatus, in place: Int, _ inner: inout [PruneFile.Name]
  ) {
    if status.type == .folder {
      // Folders of another file system are skipped, and so are all folders if the walk is not
      // recursive.
      if isRecursive, status.identity.device == device { inner.append(name) }
    } else if status.isPrunable, matches(name) {
      files.append(
        PruneFile(
          folder: place, name: name, modified: status.modified, bytes: status.sizeBytes,
          inode: status.identity.inode))
    }
  }

  private mutating func descend(
    _ name: PruneFile.Name, from folder: PruneFolder, _ place: Int, depth: Int
  ) throws(Stop) {
    guard depth < Self.depthMax else {
      troubles.append((path(of: place) + name.text, ELOOP))
      return
    }
    let inner: PruneFolder
    do throws(SystemError) {
      inner = try folder.folder(name)
    } catch {
      // A folder that has just become a link, or is gone, is not entered.
      if ![ELOOP, ENOTDIR, ENOENT].contains(error.number) {
        troubles.append((path(of: place) + name.text, error.number))
      }
      return
    }
    guard inner.status.identity.device == device else { return }
    try visit(inner, parent: place, name: name)
  }

  private func matches(_ name: PruneFile.Name) -> Bool {
    guard let pattern else { return true }
    return fnmatch(pattern, name.bytes, 0) == 0
  }

  /// The path of a folder below the root, with a slash at its end; empty for the root.
  func path(of place: Int) -> String {
    guard let parent = folders[place].parent else { return "" }
    return path(of: parent) + folders[place].name.text + "/"
  }

  /// Opens a folder again, from the root down. Nil if any folder on the way is no longer the one of
  /// the walk.
  func open(_ place: Int, from root: PruneFolder) -> PruneFolder? {
    guard let parent = folders[place].parent else { return root }
    guard let outer = open(parent, from: root),
      let folder = try? outer.folder(folders[place].name),
      folder.status.identity.device == device, folder.status.identity.inode == folders[place].inode
    else { return nil }
    return folder
  }
}
