import Dispatch
import Foundation
import Synchronization
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// Keys that come and go, and errors of the system.
@Suite struct WatchKeyTests {
  @Test func `a removed key is silent, also with a change that has not settled`() throws {
    let folder = try WatchedFolder()
    let gone = folder.key("file", job: "gone", debounce: .seconds(1))
    let kept = folder.key("file", job: "kept", debounce: .seconds(1))
    folder.watch([gone, kept])
    try folder.write("file")
    folder.watch([kept])
    try folder.write("file")
    folder.pass(.seconds(20))
    #expect(folder.changes() == ["kept"])
    folder.watch([])
    #expect(folder.watches.inodeCount == 0)
    #expect(folder.timers.armedCount == 0)
    try folder.write("file")
    #expect(folder.changes() == [])
  }

  @Test func `a change that settles outlives a new set and a new debounce`() throws {
    let folder = try WatchedFolder()
    folder.watch("file", debounce: .seconds(5))
    try folder.write("file")
    folder.pass(.seconds(1))
    folder.watch([folder.key("file", debounce: .seconds(5)), folder.key("more")])
    folder.watch("file", debounce: .seconds(2))
    #expect(folder.changes() == [])
    folder.pass(.seconds(1))
    #expect(folder.changes() == ["job"])
    folder.pass(.seconds(10))
    #expect(folder.changes() == [])
  }

  @Test func `a thousand keys in one folder are distinguished`() throws {
    let folder = try WatchedFolder()
    let names = (0..<1000).map { "file-\($0)" }
    folder.watch(Set(names.map { folder.key("a/" + $0, job: $0) }))
    #expect(folder.watches.inodeCount == folder.root.split(separator: "/").count + 1)
    try folder.makeFolder("a")
    for name in names { try folder.makeFolder("a/" + name) }
    #expect(Set(folder.changes()) == Set(names))
    try folder.makeFolder("a/file-7/x")
    #expect(folder.changes() == ["file-7"])
    try folder.move("a", to: "b")
    try folder.move("b", to: "a")
    #expect(folder.changes() == [])
    folder.watch([])
    #expect(folder.watches.inodeCount == 0)
  }

  @Test func `an odd path neither traps nor hides the others`() throws {
    let folder = try WatchedFolder()
    let odd = ["", "/", "//..//.", "relative", String(repeating: "/x", count: 100_000), "/\0/a"]
    var keys = Set(odd.map { WatchKey(owner: "odd", path: $0, debounce: .seconds(1 << 62)) })
    keys.insert(WatchKey(owner: "job", path: folder["file"], debounce: .seconds(-1)))
    folder.watch(keys)
    try folder.makeFolder("file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `a queue that overflowed counts as a change of every key`() throws {
    let queue = DispatchQueue(label: "test")
    let folder = try WatchedFolder(queue: queue)
    try folder.makeFolder("busy")
    try folder.makeFolder("late")
    folder.watch([
      folder.key("busy", job: "busy"), folder.key("quiet", job: "quiet"),
      folder.key("late/file", job: "late"),
    ])
    #expect(folder.changes() == [])
    queue.suspend()
    let limit = try String(
      contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
    // By turns: the kernel merges two equal events in a row.
    try folder.makeFolder("busy/x")
    for index in 0...count {
      let names = index % 2 == 0 ? ["busy/x", "busy/y"] : ["busy/y", "busy/x"]
      try folder.move(names[0], to: names[1])
    }
    try folder.move("late", to: "later")
    try folder.makeFolder("late")
    queue.resume()
    #expect(Set(folder.changes()) == ["busy", "quiet", "late"])
    try folder.makeFolder("late/file")
    #expect(folder.changes() == ["late"])
  }

  @Test(arguments: [ENOSPC, EACCES])
  func `what the system refuses is reported once and tried again`(number: Int32) throws {
    let refusals = Switch()
    let folder = try refusals.folderWithInbox(number)
    let keys: Set = [folder.key("inbox", job: "one"), folder.key("inbox/file", job: "two")]
    folder.watch(keys)
    folder.watch(keys)
    folder.pass(.seconds(30))
    folder.pass(.seconds(30))
    let troubles = folder.troubles()
    #expect(troubles.count == 1)
    let hint = number == ENOSPC ? "raise fs.inotify.max_user_watches" : "the right to read"
    #expect(troubles.first?.contains(hint) == true)
    #expect(troubles.first?.hasPrefix("cannot watch \(folder["inbox"]):") == true)
    // Only the next try finds it.
    try folder.makeFolder("inbox/file")
    #expect(folder.changes() == [])
    folder.pass(.seconds(30))
    #expect(folder.changes() == ["two"])
    refusals.isOn = false
    folder.pass(.seconds(30))
    #expect(folder.timers.armedCount == 0)
    try folder.makeFolder("inbox/x")
    #expect(folder.changes() == ["one"])
    #expect(folder.troubles().count == 1)
  }

  @Test func `the next call of watch tries again what was refused`() throws {
    let refusals = Switch()
    let folder = try refusals.folderWithInbox(ENOSPC)
    folder.watch("inbox")
    refusals.isOn = false
    folder.watch("inbox")
    #expect(folder.changes() == [])
    try folder.makeFolder("inbox/x")
    #expect(folder.changes() == ["job"])
  }
}

/// A switch that tests and the system calls under them share.
private final class Switch: Sendable {
  private let state = Mutex(true)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// A folder with an `inbox` that cannot be watched, by this error, while the switch is on.
  func folderWithInbox(_ number: Int32) throws -> WatchedFolder {
    let folder = try WatchedFolder { [self] descriptor, path, mask in
      guard String(cString: path).hasSuffix("/inbox"), isOn else {
        return inotify_add_watch(descriptor, path, mask)
      }
      errno = number
      return -1
    }
    try folder.makeFolder("inbox")
    return folder
  }
}
