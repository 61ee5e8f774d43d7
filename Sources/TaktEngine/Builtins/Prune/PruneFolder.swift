import Glibc
import TaktCore
import TaktTime

/// An open folder. Whatever is done in it is done by names in this very folder: no path is looked up
/// anew, and no link is followed.
final class PruneFolder {
  let descriptor: Int32
  let status: stat

  private init(_ descriptor: Int32) throws(SystemError) {
    self.descriptor = descriptor
    var status = stat()
    let result = fstat(descriptor, &status)
    self.status = status
    if result != 0 { throw SystemError("fstat") }
  }

  deinit { close(descriptor) }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK

  /// The root of a walk; no part of its path may be a link.
  convenience init(root path: String) throws(FolderPath.Failure) {
    let descriptor = try FolderPath.open(path, following: .none, flags: Self.flags)
    do throws(SystemError) {
      try self.init(descriptor)
    } catch {
      throw .system(error.number)
    }
  }

  func folder(_ name: PruneFile.Name) throws(SystemError) -> PruneFolder {
    let child = openat(descriptor, name.bytes, Self.flags)
    guard child >= 0 else { throw SystemError("openat") }
    return try PruneFolder(child)
  }

  /// Whether both mean the same folder of the same file system.
  func isSame(as other: PruneFolder) -> Bool {
    status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }

  /// What an entry is, itself and not what it leads to; nil when it is gone.
  func status(of name: PruneFile.Name) -> stat? {
    var status = stat()
    return fstatat(descriptor, name.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Removes a file or a link, or with `AT_REMOVEDIR` an empty folder. Returns an error number.
  func remove(_ name: PruneFile.Name, flags: Int32 = 0) -> Int32 {
    unlinkat(descriptor, name.bytes, flags) == 0 ? 0 : errno
  }

  /// Calls `body` with each name until it answers false.
  func forEachName(_ body: (PruneFile.Name) -> Bool) throws(SystemError) {
    // The stream owns the descriptor that it is given, hence one of its own.
    let copy = openat(descriptor, ".", Self.flags)
    guard copy >= 0 else { throw SystemError("openat") }
    guard let stream = fdopendir(copy) else {
      close(copy)
      throw SystemError("fdopendir")
    }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      let bytes = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { start in
          // The system ends every name with a zero within these 256 bytes.
          Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
        }
      }
      if bytes != Self.dot, bytes != Self.dotDot, !body(PruneFile.Name(bytes: bytes)) { return }
      errno = 0
    }
    if errno != 0 { throw SystemError("readdir") }
  }

  private static let dot: [CChar] = [46, 0]
  private static let dotDot: [CChar] = [46, 46, 0]
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  /// A file or a link: what may be deleted. Devices, sockets and pipes are somebody's.
  var isPrunable: Bool { st_mode & S_IFMT == S_IFREG || st_mode & S_IFMT == S_IFLNK }
  /// At the ends of the range for what lies beyond it.
  var modified: WallInstant {
    let (seconds, isOver) = Int64(st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isSumOver) = seconds.addingReportingOverflow(Int64(st_mtim.tv_nsec))
    guard isOver || isSumOver else { return WallInstant(nanoseconds: sum) }
    return WallInstant(nanoseconds: st_mtim.tv_sec < 0 ? .min : .max)
  }
}
