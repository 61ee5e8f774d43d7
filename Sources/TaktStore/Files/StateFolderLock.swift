import Glibc
import Synchronization

/// The lock on a state folder: one takt at a time. It lasts as long as this object, or the process.
///
/// Safe from any thread.
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
  private let holder: String
  private let descriptor: Mutex<Int32>

  /// Makes the folder where it is missing, for its owner alone, and takes the lock.
  ///
  /// - Parameter holder: what others are told who want it: a line.
  public init(folder: String, holder: String) throws(Failure) {
    self.folder = folder
    self.holder = holder
    descriptor = Mutex(try Self.take(folder, holder))
  }

  deinit {
    descriptor.withLock { descriptor in _ = close(descriptor) }
  }

  /// Takes the lock once more where somebody has removed its file. Throws where another takt has
  /// taken it meanwhile: the folder is no longer this one's.
  func ensure() throws(Failure) {
    let failure = descriptor.withLock { descriptor -> Failure? in
      guard !Self.isFile(folder, descriptor) else { return nil }
      do throws(Failure) {
        let new = try Self.take(folder, holder)
        close(descriptor)
        descriptor = new
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private static func take(_ folder: String, _ holder: String) throws(Failure) -> Int32 {
    // Only the last part: a path that is mistyped is not to leave folders behind.
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .unwritable(errno: errno) }
    let descriptor = open(path(folder), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .unwritable(errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let text = text(of: descriptor)
      close(descriptor)
      throw number == EWOULDBLOCK ? .held(by: text) : .unwritable(errno: number)
    }
    // On a full disk its text is missing; the lock holds all the same.
    let line = Array((holder + "\n").utf8)
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, line, line.count, 0) }
    return descriptor
  }

  private static func path(_ folder: String) -> String { folder + "/lock" }

  /// Whether the file that is locked is still the one that others would find.
  private static func isFile(_ folder: String, _ descriptor: Int32) -> Bool {
    var (found, locked) = (stat(), stat())
    return stat(path(folder), &found) == 0 && fstat(descriptor, &locked) == 0
      && found.st_ino == locked.st_ino && found.st_dev == locked.st_dev
  }

  private static func text(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return "another takt" }
    return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
  }
}
