import CTaktSystem
import Glibc
import TaktCore
import TaktSystem

/// The folders below the end of a path.
extension PathWalk {
  /// The number of folders watched for one key, including its own.
  static let foldersMax = 10_000
  /// Later entries are not reported to any run.
  private static let arrivalsMax = ChangedPaths.countMax + 1

  private struct Folder {
    var path: [CChar]
    /// Its path below the first folder.
    var below: [CChar]
    var watch: Int32
  }

  /// Watches the folders below a watched one, each before it is read: later entries make events.
  /// Links are entries, and not followed.
  mutating func enterFolders(below path: [CChar], _ watch: Int32) {
    folders[watch] = []
    var rest = [Folder(path: path, below: [], watch: watch)]
    while let folder = rest.popLast() {
      // One that has moved within the tree keeps its watch: its entries have other paths now.
      let isNew = known.map { $0[folder.watch] != folder.below } ?? false
      // A folder whose entries are known is read only for its folders.
      guard isNew || key.reachesBelow, let entries = self.entries(of: folder.path) else { continue }
      for entry in entries {
        let below = folder.below.isEmpty ? entry.name : folder.below + [Self.slash] + entry.name
        if isNew, arrivals.count < Self.arrivalsMax, key.counts(entry: below) {
          arrivals.append(below)
        }
        guard entry.isFolder, key.reachesBelow else { continue }
        guard folders.count < Self.foldersMax else {
          refusals.insert(WatchRefusal(path: path, number: E2BIG))
          return
        }
        guard let inner = enter(entry.name, of: folder, below) else {
          // The limit of watches is reached.
          if refusals.contains(where: { $0.number == ENOSPC }) { return }
          continue
        }
        rest.append(inner)
      }
    }
  }

  /// Nil for a folder that is not to be watched: it is gone, or was reached by another path.
  private mutating func enter(_ name: [CChar], of folder: Folder, _ below: [CChar]) -> Folder? {
    let path = folder.path + [Self.slash] + name
    guard let watch = self.watch(path, for: Inotify.content | key.changeKind.bits | IN_ONLYDIR),
      folders[watch] == nil
    else { return nil }
    folders[watch] = below
    uses.insert(.folder(watch: watch))
    return Folder(path: path, below: below, watch: watch)
  }

  /// The entries of a folder; nil if it cannot be read, which is recorded as refused.
  private mutating func entries(of path: [CChar]) -> [(name: [CChar], isFolder: Bool)]? {
    guard !isUncertain(path) else {
      refusals.insert(WatchRefusal(path: path, number: EOPNOTSUPP))
      return nil
    }
    guard let stream = open(path) else { return nil }
    defer { closedir(stream) }
    var entries: [(name: [CChar], isFolder: Bool)] = []
    while let entry = readdir(stream) {
      // The system ends d_name with a NUL; it is read in place because names may be longer than the
      // field.
      let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
      let start = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = Array(UnsafeBufferPointer(start: start, count: strlen(start)))
      if name == [CChar(46)] || name == [CChar(46), CChar(46)] { continue }
      entries.append((name, isFolder(entry.pointee.d_type, name, in: dirfd(stream))))
    }
    return entries
  }

  /// Opens a folder, unless a link has taken its place; nil if that is refused.
  private mutating func open(_ path: [CChar]) -> OpaquePointer? {
    let folder = Glibc.open(
      Self.named(path) + [0], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if folder >= 0, let stream = fdopendir(folder) { return stream }
    refuse(path, errno)
    if folder >= 0 { close(folder) }
    return nil
  }

  /// Some file systems do not report the type of an entry.
  private func isFolder(_ type: UInt8, _ name: [CChar], in folder: Int32) -> Bool {
    if type != UInt8(DT_UNKNOWN) { return type == UInt8(DT_DIR) }
    let status = try? FileStatus(of: name + [0], in: folder)
    return status?.type == .folder
  }
}
