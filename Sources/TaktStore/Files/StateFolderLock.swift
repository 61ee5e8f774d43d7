import Glibc
import Synchronization
import TaktSystem

/// The lock on a state folder: one daemon at a time. It lasts as long as this object, or the
/// process.
///
/// Safe from any thread.
package final class StateFolderLock: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// Another daemon has it; the text is that daemon's own.
    case held(by: String)
    /// The folder cannot be created or written; the system's error number.
    case unwritable(errno: Int32)
    /// The folder, or a file in it, may have been made by another user.
    case refused(StateFolderProblem)
  }

  /// The open folder and the locked file.
  private struct Hold: Sendable {
    var directory: StateDirectory
    var descriptor: Int32
  }

  /// The folder of takt's files: the one that was asked for, or takt's own one in it.
  package let folder: String
  /// True if the group of the folder could write to it until now.
  package let wasRestricted: Bool
  private let requested: String
  private let holder: String
  private let trusted: Set<uid_t>
  private let hold: Mutex<Hold>

  /// Creates the folder if it is missing, for its owner alone, checks it and its files, and takes
  /// the lock.
  ///
  /// - Parameters:
  ///   - holder: a line shown to others who want the lock.
  ///   - trusted: users who may own folders above it; matters to root alone.
  package init(folder: String, holder: String, trusting trusted: Set<UInt32> = []) throws(Failure) {
    requested = folder
    self.holder = holder
    self.trusted = trusted
    let (opened, descriptor) = try Self.acquire(folder, holder, trusted)
    self.folder = opened.isWithin ? "\(folder)/\(StateDirectory.ownName)" : folder
    wasRestricted = opened.wasRestricted
    hold = Mutex(Hold(directory: opened.directory, descriptor: descriptor))
  }

  deinit {
    hold.withLock { hold in _ = close(hold.descriptor) }
  }

  /// The folder of takt's files if `folder` is the state folder that was asked for.
  package static func place(of folder: String) -> String {
    let own = "\(folder)/\(StateDirectory.ownName)"
    do throws(SystemError) {
      _ = try FileStatus(at: "\(own)/\(name)", followsLink: false)
      return own
    } catch {
      // The contents of another user's folder are hidden.
      return error.number == EACCES ? own : folder
    }
  }

  var directory: StateDirectory { hold.withLock { $0.directory } }
  var identity: StateDirectory.Identity { directory.identity }

  /// Takes the lock again if its file was removed. Throws if another daemon has taken it meanwhile:
  /// the folder is no longer this one's.
  func ensure() throws(Failure) {
    let failure = hold.withLock { hold -> Failure? in
      guard !Self.isFile(folder, hold.descriptor) else { return nil }
      do throws(Failure) {
        let (opened, descriptor) = try Self.acquire(requested, holder, trusted)
        close(hold.descriptor)
        hold = Hold(directory: opened.directory, descriptor: descriptor)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  private static let name = "lock"

  private static func acquire(
    _ folder: String, _ holder: String, _ trusted: Set<uid_t>
  ) throws(Failure) -> (StateDirectory.Opened, descriptor: Int32) {
    let opened = try StateDirectory.checked(folder, trusting: trusted)
    let directory = opened.directory
    do throws(StateFolderProblem) {
      for name in StateDirectory.ownFiles { try directory.check(name) }
    } catch {
      throw .refused(error)
    }
    if opened.isWithin { try directory.adopt(from: folder) }
    let descriptor = try lock(name, in: directory)
    // On a full disk its text is missing; the lock holds all the same.
    let line = Array((holder + "\n").utf8)
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, line, line.count, 0) }
    return (opened, descriptor)
  }

  static func lock(_ name: String, in directory: StateDirectory) throws(Failure) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = openat(directory.descriptor, name, flags, 0o600)
    guard descriptor >= 0 else { throw .unwritable(errno: errno) }
    var triesLeft = triesForDead
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      let text = text(of: descriptor)
      if number == EWOULDBLOCK, triesLeft > 0, isDead(text) {
        triesLeft -= 1
        usleep(20_000)
        continue
      }
      close(descriptor)
      throw number == EWOULDBLOCK ? .held(by: text) : .unwritable(errno: number)
    }
    return descriptor
  }

  /// The most waits, of 20 ms, for the leftovers of a killed daemon: a child that it was starting
  /// holds its lock until it executes its program.
  private static let triesForDead = 100

  /// True if the daemon that wrote these words has ended.
  private static func isDead(_ holder: String) -> Bool {
    guard
      let pid = holder.split(separator: ", ").lazy.compactMap({ word -> pid_t? in
        word.hasPrefix("pid ") ? pid_t(word.dropFirst(4)) : nil
      }).first
    else { return false }
    return kill(pid, 0) != 0 && errno == ESRCH
  }

  /// True if the locked file is still the one at the path.
  private static func isFile(_ folder: String, _ descriptor: Int32) -> Bool {
    guard let found = try? FileStatus(at: folder + "/" + name, followsLink: false),
      let locked = try? FileStatus(of: descriptor)
    else { return false }
    return found.identity == locked.identity
  }

  private static func text(of descriptor: Int32) -> String {
    guard let bytes = SmallFile.head(descriptor, bytesMax: 512), !bytes.isEmpty else {
      return "another daemon"
    }
    return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
  }
}

extension StateDirectory {
  /// Takes over the files that an earlier version kept directly in a folder that is not takt's own.
  fileprivate func adopt(from folder: String) throws(StateFolderLock.Failure) {
    guard status(of: LedgerFile.name) == nil, status(of: "lock") == nil,
      let old = StateDirectory(path: folder), old.identity != identity,
      old.status(of: LedgerFile.name) != nil
    else { return }
    do throws(StateFolderProblem) {
      for name in Self.ownFiles { try old.check(name) }
    } catch {
      throw .refused(error)
    }
    let lock = try StateFolderLock.lock("lock", in: old)
    defer { close(lock) }
    // The database is last: until it is here, all of this is repeated.
    for name in Self.ownFiles.reversed() where name != "lock" && name != LedgerFile.name {
      _ = renameat(old.descriptor, name, descriptor, name)
    }
    guard renameat(old.descriptor, LedgerFile.name, descriptor, LedgerFile.name) == 0 else {
      throw .unwritable(errno: errno)
    }
    unlinkat(old.descriptor, "lock", 0)
  }
}
