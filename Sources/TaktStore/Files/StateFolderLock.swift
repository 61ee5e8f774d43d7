import Glibc

/// The lock on a state folder: one takt at a time. It lasts as long as this object, or the process.
public final class StateFolderLock: Sendable {
  /// Why there is no lock.
  public enum Failure: Error, Hashable, Sendable {
    /// Another takt has it; what it says of itself.
    case held(by: String)
    /// The folder cannot be made or written; the system's error number.
    case unwritable(errno: Int32)
  }

  /// The folder.
  public let folder: String
  private let descriptor: Int32
  private let inode: UInt64

  /// Makes the folder where it is missing, for its owner alone, and takes the lock.
  ///
  /// - Parameter holder: what others are told who want it: a line.
  public init(folder: String, holder: String) throws(Failure) {
    self.folder = folder
    // Only the last part: a path that is mistyped is not to leave folders behind.
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .unwritable(errno: errno) }
    let path = folder + "/lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .unwritable(errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let text = Self.text(of: descriptor)
      close(descriptor)
      throw number == EWOULDBLOCK ? .held(by: text) : .unwritable(errno: number)
    }
    let line = Array((holder + "\n").utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, line, line.count, 0) == line.count
    else {
      // A full disk: the lock holds, and only its text is missing.
      self.descriptor = descriptor
      inode = Self.inode(descriptor)
      return
    }
    self.descriptor = descriptor
    inode = Self.inode(descriptor)
  }

  deinit { close(descriptor) }

  /// Whether the file that is locked is still the one that others would find.
  public var isInPlace: Bool {
    var status = stat()
    return stat(folder + "/lock", &status) == 0 && UInt64(status.st_ino) == inode
  }

  private static func inode(_ descriptor: Int32) -> UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return "another takt" }
    return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
  }
}
