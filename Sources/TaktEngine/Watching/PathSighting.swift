import Glibc

/// What was found at the end of a path.
struct PathSighting {
  /// What can be seen of it without a watch.
  private struct Stamp: Equatable {
    var device: UInt64
    var inode: UInt64
    /// Of a file alone: a folder changes also when an entry is removed.
    var size: Int64 = 0
    var modifiedSeconds: Int64 = 0
    var modifiedNanoseconds: Int64 = 0
  }

  /// The number of its watch; nil when that was refused.
  let watch: Int32?
  private let stamp: Stamp

  /// Something with this watch and this status.
  init(watch: Int32?, status: stat) {
    self.watch = watch
    var stamp = Stamp(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    if status.st_mode & S_IFMT != S_IFDIR {
      stamp.size = Int64(status.st_size)
      stamp.modifiedSeconds = Int64(status.st_mtim.tv_sec)
      stamp.modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
    }
    self.stamp = stamp
  }

  /// Whether both are the same thing, and nothing has happened to it that no watch has told.
  func isSame(as other: PathSighting) -> Bool {
    if let watch, let otherWatch = other.watch { return watch == otherWatch }
    return stamp == other.stamp
  }
}
