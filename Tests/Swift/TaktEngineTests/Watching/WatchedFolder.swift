import Dispatch
import Foundation
import Synchronization
import TaktCore
import TaktSystem
import TimerMachineTesting

@testable import TaktEngine

/// A temporary folder, watches in it, and their reports. Time is virtual.
final class WatchedFolder: Sendable {
  struct TooLate: Error {}

  static let reactor = Result { try Reactor() }

  let root: String
  let timers = ManualTimerFactory()
  let watches: PathWatches
  private let notifications: Notifications

  private final class Notifications: Sendable {
    let keys = Mutex<[WatchKey]>([])
    let paths = Mutex<[String]>([])
    let troubles = Mutex<[String]>([])
    let signal = DispatchSemaphore(value: 0)
  }

  init(
    queue: DispatchQueue? = nil,
    add: @escaping Inotify.Add = { inotify_add_watch($0, $1, $2) }
  ) throws {
    // Without links, so that a test knows each folder on the way.
    let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    root = base + "/takt-paths-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
    let notifications = Notifications()
    self.notifications = notifications
    watches = try PathWatches(
      reactor: Self.reactor.get(), factory: timers, queue: queue, add: add,
      onPaths: { _, changed in notifications.paths.withLock { $0 += changed.lines } },
      onChange: { key in
        notifications.keys.withLock { $0.append(key) }
        notifications.signal.signal()
      },
      onError: { text in notifications.troubles.withLock { $0.append(text) } })
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// The owners of all changes since the last query: each job once, as without a debounce one step
  /// may be reported in pieces.
  func changes() -> [String] { Set(popChanges().map(\.owner)).sorted() }

  /// The number of reports since the last query.
  func count() -> Int { popChanges().count }

  private func popChanges() -> [WatchKey] {
    watches.catchUp()
    return notifications.keys.withLock { keys in
      defer { keys = [] }
      return keys
    }
  }

  /// The paths within the folder that have changed since the last query, each once.
  func paths() -> [String] {
    watches.catchUp()
    return notifications.paths.withLock { paths in
      defer { paths = [] }
      return Set(paths).sorted().map { String($0.dropFirst(root.count + 1)) }
    }
  }

  /// The sentences so far.
  func troubles() -> [String] {
    watches.catchUp()
    return notifications.troubles.withLock { $0 }
  }

  /// Waits for a report, as the reactor brings it.
  func awaitChange() throws {
    guard notifications.signal.wait(timeout: .now() + 10) == .success else { throw TooLate() }
  }

  /// Lets virtual time pass, without any work left at its start and its end.
  func pass(_ duration: Duration) {
    watches.catchUp()
    timers.advance(by: duration)
    watches.catchUp()
  }

  // MARK: Keys and files, by their path within the folder

  func key(_ path: String, job: String = "job", debounce: Duration = .zero) -> WatchKey {
    WatchKey(owner: job, path: self[path], debounce: debounce)
  }

  /// Watches one path without a debounce, from now on.
  func watch(_ path: String, debounce: Duration = .zero) {
    watch([key(path, debounce: debounce)])
  }

  func watch(_ keys: Set<WatchKey>) {
    watches.watch(keys)
    watches.catchUp()
  }

  subscript(path: String) -> String { path.hasPrefix("/") ? path : root + "/" + path }

  func write(_ path: String, _ text: String = "text") throws {
    let file = open(self[path], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try check(file)
    let count = Glibc.write(file, text, text.utf8.count)
    close(file)
    try check(Int32(truncatingIfNeeded: count))
    try awaitLastWriter(of: path)
  }

  /// A child that another test starts meanwhile has the file open until it executes its program,
  /// and the system reports only the last close. A read lease is granted when no process can write
  /// any more.
  private func awaitLastWriter(of path: String) throws {
    // F_SETLEASE of Linux.
    let (setLease, readLease, unlock) = (Int32(1024), Int32(F_RDLCK), Int32(F_UNLCK))
    let file = open(self[path], O_RDONLY | O_CLOEXEC)
    try check(file)
    defer { close(file) }
    while fcntl(file, setLease, readLease) < 0, errno == EAGAIN { sched_yield() }
    _ = fcntl(file, setLease, unlock)
  }

  func makeFolder(_ path: String) throws { try check(mkdir(self[path], 0o700)) }
  func makeFolders(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: self[path], withIntermediateDirectories: true)
  }
  func move(_ path: String, to other: String) throws { try check(rename(self[path], self[other])) }
  func delete(_ path: String) throws { try FileManager.default.removeItem(atPath: self[path]) }
  func link(_ path: String, to target: String) throws { try check(symlink(target, self[path])) }
  func setMode(_ path: String, _ mode: mode_t) throws { try check(chmod(self[path], mode)) }

  /// Does the steps of a text like `folder inbox, write inbox/a !, move a b -`. After `!` a change
  /// must have been reported since the last query, and after `-` none.
  func perform(_ deeds: String, look: (_ isTold: Bool, _ deed: String) -> Void) throws {
    for deed in deeds.split(separator: ", ").map(String.init) {
      let words = deed.split(separator: " ").map(String.init)
      switch words[0] {
      case "write": try write(words[1])
      case "folder": try makeFolder(words[1])
      case "folders": try makeFolders(words[1])
      case "delete": try delete(words[1])
      case "mode": try setMode(words[1], 0o640)
      case "move": try move(words[1], to: words[2])
      case "link": try link(words[1], to: words[2].replacing("ROOT", with: root))
      default: throw SystemError("'\(deed)' is no deed")
      }
      if words.last == "!" || words.last == "-" { look(words.last == "!", deed) }
    }
  }

  private func check(_ result: Int32) throws {
    if result < 0 { throw SystemError("a call of the test") }
  }
}
