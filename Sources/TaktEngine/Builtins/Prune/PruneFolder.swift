import Glibc
import TaktSystem

/// An open folder. Its entries are used by name in this very folder: no path is looked up again,
/// and no link is followed.
final class PruneFolder {
  let descriptor: Int32
  let status: FileStatus

  /// Owns the descriptor.
  private init(_ descriptor: Int32) throws(SystemError) {
    do throws(SystemError) {
      status = try FileStatus(of: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
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

  func isSame(as other: PruneFolder) -> Bool {
    status.identity == other.status.identity
  }

  /// The status of an entry, not following links; nil if it is gone.
  func status(of name: PruneFile.Name) -> FileStatus? {
    try? FileStatus(of: name.bytes, in: descriptor)
  }

  /// Removes a file or a link, or with `AT_REMOVEDIR` an empty folder. Returns an error number.
  func remove(_ name: PruneFile.Name, flags: Int32 = 0) -> Int32 {
    unlinkat(descriptor, name.bytes, flags) == 0 ? 0 : errno
  }

  /// Calls `body` with each name until it returns false.
  func forEachName(_ body: (PruneFile.Name) -> Bool) throws(SystemError) {
    // The stream owns its descriptor, so it gets a copy.
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

extension FileStatus {
  /// True for a file or a link. Devices, sockets and pipes are in use.
  var isPrunable: Bool { type == .file || type == .link }
}
