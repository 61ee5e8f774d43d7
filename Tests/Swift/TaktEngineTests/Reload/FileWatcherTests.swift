import CTaktSystem
import Glibc
import Synchronization
import TaktCore
import TaktTime
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// Changes of the jobs files, and of the folders of an include, that make a reload.
@Suite struct FileWatcherTests {
  /// After `!` one call must have been made since the last query, and after `-` none.
  @Test(arguments: [
    // A file that is made, written, replaced by rename, or removed.
    (
      "jobs.yaml",
      "write jobs.yaml !, write jobs.yaml !, write jobs.yaml.new -, "
        + "move jobs.yaml.new jobs.yaml !, delete jobs.yaml !"
    ),
    // A folder that vanishes and returns.
    (
      "conf/jobs.yaml",
      "folder conf, write conf/jobs.yaml !, move conf aside !, write aside/jobs.yaml -, "
        + "move aside conf !, write conf/jobs.yaml !, delete conf !, folder conf -, "
        + "write conf/jobs.yaml !"
    ),
    // The target of a link, and the link.
    (
      "current/jobs.yaml",
      "folder one, write one/jobs.yaml, folder two, write two/jobs.yaml, link current one !, "
        + "write one/jobs.yaml !, write two/jobs.yaml -, link next two, move next current !, "
        + "write one/jobs.yaml -"
    ),
    // An entry of an included folder that comes or goes. The reader of the file watches it by
    // itself.
    (
      "jobs.d",
      "folder jobs.d !, write jobs.d/a.yaml !, write jobs.d/a.yaml -, "
        + "move jobs.d/a.yaml jobs.d/b.yaml !, delete jobs.d/b.yaml !"
    ),
  ])
  func `a path makes one call for each of its changes`(path: String, deeds: String) throws {
    let files = try WatchedFiles(path)
    try files.folder.perform(deeds) { isTold, deed in
      #expect(files.calls() == (isTold ? 1 : 0), "\(deed)")
    }
    #expect(files.calls() == 0)
  }

  @Test func `all changes of a moment make one call, a moment after the first`() throws {
    let files = try WatchedFiles("a.yaml", "b.yaml", "c.yaml")
    for name in ["a.yaml", "b.yaml", "c.yaml"] {
      try files.folder.write(name)
      files.pass(.milliseconds(60))
    }
    #expect(files.count() == 0)
    files.pass(.milliseconds(20))
    #expect(files.count() == 1)
    #expect(files.calls() == 0)
  }

  @Test func `a change after a file was read, and before it was watched, makes a call`() throws {
    let files = try WatchedFiles()
    try files.folder.write("a.yaml")
    try files.folder.write("b.yaml")
    let written = SystemTimeSource().fileStamp
    // Two ticks of the clock that stamps files: it may be one behind.
    while SystemTimeSource().fileStamp < written + .milliseconds(20) { sched_yield() }
    let readAt = SystemTimeSource().fileStamp
    files.watch(["a.yaml"], readAt: readAt)
    #expect(files.calls() == 0)
    try files.folder.write("b.yaml")
    files.watch(["a.yaml", "b.yaml"], readAt: readAt)
    #expect(files.calls() == 1)
    #expect(files.calls() == 0)
    // The target of the link is older than the reading.
    #expect(symlink(files.folder["a.yaml"], files.folder["link.yaml"]) == 0)
    files.watch(["link.yaml"], readAt: readAt)
    #expect(files.calls() == 1)
  }

  @Test func `an older file that a renamed folder brings before it is watched makes a call`()
    throws
  {
    let files = try WatchedFiles()
    for folder in ["conf", "next"] {
      try files.folder.makeFolder(folder)
      try files.folder.write("\(folder)/jobs.yaml")
    }
    let identity = try files.identity(of: "conf/jobs.yaml")
    files.watch(["conf/jobs.yaml"], identities: ["conf/jobs.yaml": identity])
    #expect(files.calls() == 0)
    files.watch()
    try files.folder.move("conf", to: "aside")
    try files.folder.move("next", to: "conf")
    files.watch(["conf/jobs.yaml"], identities: ["conf/jobs.yaml": identity])
    #expect(files.calls() == 1)
    #expect(files.calls() == 0)
  }

  @Test func `a job that writes beside the jobs file makes no call`() throws {
    let files = try WatchedFiles("jobs.yaml")
    try files.folder.write("jobs.yaml")
    #expect(files.calls() == 1)
    try files.folder.write("job.log")
    try files.folder.move("job.log", to: "job.log.1")
    try files.folder.makeFolder("state")
    #expect(files.calls() == 0)
    #expect(files.folder.timers.armedCount == 0)
  }

  @Test func `rights alone make no call, another time of the last change does`() throws {
    let files = try WatchedFiles("jobs.yaml")
    try files.folder.write("jobs.yaml")
    #expect(files.calls() == 1)
    try files.folder.setMode("jobs.yaml", 0o640)
    #expect(files.calls() == 0)
    var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]
    #expect(utimes(files.folder["jobs.yaml"], &times) == 0)
    #expect(files.calls() == 1)
  }

  @Test func `a file that is being written is looked at when its writer closes it`() throws {
    let files = try WatchedFiles("jobs.yaml")
    try files.folder.write("jobs.yaml")
    #expect(files.calls() == 1)
    let descriptor = open(files.folder["jobs.yaml"], O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(descriptor, "half", 4) == 4)
    #expect(files.calls() == 0)
    close(descriptor)
    #expect(files.calls() == 1)
  }

  @Test func `a change of a path that stays is not lost when the others change`() throws {
    let files = try WatchedFiles("a.yaml")
    try files.folder.write("a.yaml")
    files.watch("a.yaml", "b.yaml")
    #expect(files.calls() == 1)
    try files.folder.write("b.yaml")
    files.watch("a.yaml")
    #expect(files.calls() == 1)
    try files.folder.write("b.yaml")
    #expect(files.calls() == 0)
  }

  @Test func `a path that cannot be watched is reported once`() throws {
    let files = try WatchedFiles("file/jobs.yaml", String(repeating: "x", count: 300))
    try files.folder.write("file")
    #expect(files.calls() == 0)
    #expect(files.troubles.withLock { $0 }.count == 1)
    #expect(files.troubles.withLock { $0 }.first?.contains("cannot watch") == true)
  }
}

/// Files of a folder under a watcher, in virtual time.
private final class WatchedFiles {
  let folder: WatchedFolder
  let troubles: Shared<[String]>
  private let watcher: FileWatcher
  private let changeCount: Shared<Int>

  final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
      value.withLock(body)
    }
  }

  init(_ paths: String...) throws {
    let (changeCount, troubles) = (Shared(0), Shared<[String]>([]))
    (self.changeCount, self.troubles) = (changeCount, troubles)
    folder = try WatchedFolder()
    watcher = try FileWatcher(
      reactor: WatchedFolder.reactor.get(), factory: folder.timers,
      onChange: { changeCount.withLock { $0 += 1 } },
      onError: { text in troubles.withLock { $0.append(text) } })
    watch(paths)
  }

  func watch(_ paths: String...) { watch(paths) }

  /// Watches files that were read after all writes so far, or at another time.
  func watch(
    _ paths: [String], readAt: WallInstant = WallInstant(nanoseconds: .max),
    identities: [String: FileIdentity] = [:]
  ) {
    let identities = identities.map { (folder[$0], $1) }
    watcher.watch(
      FilesRead(
        paths: paths.map { folder[$0] }, readAt: readAt,
        identities: Dictionary(uniqueKeysWithValues: identities)))
    watcher.watches.catchUp()
  }

  func identity(of path: String) throws -> FileIdentity {
    var status = stat()
    try #require(stat(folder[path], &status) == 0)
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Lets virtual time pass, without any work left at its start and its end.
  func pass(_ duration: Duration) {
    watcher.watches.catchUp()
    folder.timers.advance(by: duration)
    watcher.watches.catchUp()
  }

  /// The number of calls since the last query.
  func count() -> Int {
    watcher.watches.catchUp()
    return changeCount.withLock { changeCount in
      defer { changeCount = 0 }
      return changeCount
    }
  }

  /// The number of calls for all changes so far, when all has settled.
  func calls() -> Int {
    pass(FileWatcher.settleTime)
    return count()
  }
}
