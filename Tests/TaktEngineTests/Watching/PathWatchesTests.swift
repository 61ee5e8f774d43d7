import Dispatch
import Foundation
import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting

@testable import TaktEngine

@Suite struct PathWatchesTests {
  // MARK: What a change is

  @Test func `a file that is created, written, or moved into place is told`() throws {
    let folder = try WatchedFolder()
    folder.watch("file")
    try folder.write("file")
    #expect(folder.changes() == ["job"])
    try folder.write("file")
    #expect(folder.changes() == ["job"])
    try folder.write("other")
    #expect(folder.changes() == [])
    try folder.move("other", to: "file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `an entry of a folder that is created, written, or moved in is told`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    folder.watch("inbox")
    try folder.write("inbox/a")
    #expect(folder.changes() == ["job"])
    try folder.write("inbox/a")
    #expect(folder.changes() == ["job"])
    try folder.write("outside")
    #expect(folder.changes() == [])
    try folder.move("outside", to: "inbox/b")
    #expect(folder.changes() == ["job"])
    try folder.makeFolder("inbox/sub")
    #expect(folder.changes() == ["job"])
  }

  @Test func `the reactor brings changes without anybody asking`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    folder.watch("inbox")
    for index in 0..<50 {
      try folder.makeFolder("inbox/\(index)")
      try folder.awaitChange()
    }
    #expect(folder.count() == 50)
  }

  @Test func `a job that empties its inbox does not wake itself`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    try folder.makeFolder("inbox/sub")
    try folder.write("inbox/a")
    try folder.write("inbox/b")
    folder.watch("inbox")
    try folder.delete("inbox/a")
    try folder.move("inbox/b", to: "done")
    try folder.delete("inbox/sub")
    try folder.write("done")
    #expect(folder.changes() == [])
    try folder.makeFolder("inbox/c")
    #expect(folder.changes() == ["job"])
  }

  @Test func `what happens deeper inside a folder is not told`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolders("inbox/sub")
    folder.watch("inbox")
    try folder.write("inbox/sub/file")
    #expect(folder.changes() == [])
  }

  @Test func `removal, moving away, and rights of a file are not told`() throws {
    let folder = try WatchedFolder()
    try folder.write("file")
    folder.watch("file")
    try folder.setMode("file", 0o640)
    try folder.move("file", to: "aside")
    try folder.write("aside")
    #expect(folder.changes() == [])
    try folder.move("aside", to: "file")
    #expect(folder.changes() == ["job"])
    try folder.delete("file")
    #expect(folder.changes() == [])
    try folder.makeFolder("file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `what was there before is not told`() throws {
    let folder = try WatchedFolder()
    try folder.write("file")
    folder.watch([folder.key("file", job: "first")])
    try folder.write("file")
    folder.watch([folder.key("file", job: "first"), folder.key("file", job: "second")])
    #expect(folder.changes() == ["first"])
    try folder.setMode("file", 0o640)
    #expect(folder.changes() == [])
  }

  // MARK: Paths that come and go

  @Test func `a file is told when two folders above it were missing`() throws {
    let folder = try WatchedFolder()
    folder.watch("a/b/file")
    try folder.makeFolder("a")
    try folder.makeFolder("a/b")
    #expect(folder.changes() == [])
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `folders and file that come at one stroke are told`() throws {
    let folder = try WatchedFolder()
    folder.watch("a/b/file")
    try folder.makeFolders("a/b")
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
    try folder.delete("a")
    #expect(folder.changes() == [])
    try folder.makeFolders("a/b")
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
    try folder.delete("a")
    try folder.makeFolders("a/b")
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `a folder that is renamed away and made again is told and watched`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    folder.watch("inbox")
    try folder.move("inbox", to: "old")
    try folder.write("old/late")
    #expect(folder.changes() == [])
    try folder.makeFolder("inbox")
    #expect(folder.changes() == ["job"])
    try folder.makeFolder("inbox/a")
    #expect(folder.changes() == ["job"])
    try folder.write("old/later")
    #expect(folder.changes() == [])
  }

  @Test(arguments: [true, false])
  func `a file comes back with its folder`(isWritten: Bool) throws {
    let folder = try WatchedFolder()
    try folder.makeFolders("a/b")
    try folder.write("a/b/file")
    folder.watch("a/b/file")
    try folder.move("a", to: "x")
    if isWritten { try folder.write("x/b/file") }
    #expect(folder.changes() == [])
    try folder.move("x", to: "a")
    // The same file as before: it has changed only if it was written meanwhile.
    #expect(folder.changes() == (isWritten ? ["job"] : []))
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `a folder that takes an ancestor's place brings another file`() throws {
    let folder = try WatchedFolder()
    for name in ["a/b", "new/b"] {
      try folder.makeFolders(name)
      try folder.write(name + "/file")
    }
    folder.watch("a/b/file")
    try folder.move("a", to: "old")
    try folder.move("new", to: "a")
    #expect(folder.changes() == ["job"])
    try folder.write("old/b/file")
    #expect(folder.changes() == [])
    try folder.write("a/b/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `deleted and made again in fast succession is told each time`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    folder.watch("inbox")
    for _ in 0..<100 {
      try folder.delete("inbox")
      try folder.makeFolder("inbox")
      #expect(folder.changes() == ["job"])
    }
    try folder.makeFolder("inbox/a")
    #expect(folder.changes() == ["job"])
    #expect(folder.watches.inodeCount == folder.root.split(separator: "/").count + 2)
  }

  @Test func `a file that becomes a folder and a file again is watched throughout`() throws {
    let folder = try WatchedFolder()
    try folder.write("path")
    folder.watch("path")
    try folder.delete("path")
    try folder.makeFolder("path")
    #expect(folder.changes() == ["job"])
    try folder.write("path/entry")
    #expect(folder.changes() == ["job"])
    try folder.delete("path")
    #expect(folder.changes() == [])
    try folder.write("path")
    #expect(folder.changes() == ["job"])
    try folder.write("path")
    #expect(folder.changes() == ["job"])
  }

  @Test func `a file in the place of a folder on the way is nothing`() throws {
    let folder = try WatchedFolder()
    try folder.write("a")
    folder.watch("a/file")
    try folder.write("a")
    try folder.delete("a")
    try folder.makeFolder("a")
    #expect(folder.changes() == [])
    try folder.write("a/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `each of 200 saves by renaming is seen`() throws {
    let folder = try WatchedFolder()
    try folder.write("file")
    folder.watch("file")
    for _ in 0..<200 {
      try folder.write(".file.new")
      try folder.move(".file.new", to: "file")
      try folder.awaitChange()
      // No second call for the same save, which could pass for the next one.
      #expect(folder.count() == 1)
    }
    #expect(folder.watches.inodeCount == folder.root.split(separator: "/").count + 2)
  }

  // MARK: Links

  @Test func `a link on the way that is swapped brings another file`() throws {
    let folder = try WatchedFolder()
    for name in ["v1", "v2"] {
      try folder.makeFolder(name)
      try folder.write(name + "/file")
    }
    try folder.link("current", to: "v1")
    folder.watch("current/file")
    try folder.write("v1/file")
    #expect(folder.changes() == ["job"])
    try folder.link("next", to: folder["v2"])
    try folder.move("next", to: "current")
    #expect(folder.changes() == ["job"])
    try folder.write("v1/file")
    #expect(folder.changes() == [])
    try folder.write("v2/file")
    #expect(folder.changes() == ["job"])
  }

  @Test func `a link to a file is swapped, broken and mended`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("sub")
    try folder.write("sub/one")
    try folder.link("file", to: "./sub/../sub/one")
    folder.watch("file")
    try folder.write("sub/one")
    #expect(folder.changes() == ["job"])
    try folder.delete("sub/one")
    #expect(folder.changes() == [])
    try folder.write("sub/one")
    #expect(folder.changes() == ["job"])
    try folder.write("sub/two")
    try folder.link("other", to: "sub/two")
    try folder.move("other", to: "file")
    #expect(folder.changes() == ["job"])
    try folder.write("sub/two")
    #expect(folder.changes() == ["job"])
  }

  @Test func `links in a circle lead nowhere until they are cut`() throws {
    let folder = try WatchedFolder()
    try folder.link("a", to: "b")
    try folder.link("b", to: "a")
    folder.watch("a/file")
    #expect(folder.troubles() == [])
    try folder.delete("b")
    try folder.makeFolder("b")
    try folder.write("b/file")
    #expect(folder.changes() == ["job"])
  }

  // MARK: Keys

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

  @Test func `a thousand keys in one folder are told apart`() throws {
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
    var keys = Set(odd.map { WatchKey(job: "odd", path: $0, debounce: .seconds(1 << 62)) })
    keys.insert(WatchKey(job: "job", path: folder["file"], debounce: .seconds(-1)))
    folder.watch(keys)
    try folder.makeFolder("file")
    #expect(folder.changes() == ["job"])
  }

  // MARK: Debounce

  @Test func `a hundred writes make one call`() throws {
    let folder = try WatchedFolder()
    folder.watch("file", debounce: .seconds(1))
    for _ in 0..<100 { try folder.write("file") }
    folder.pass(.milliseconds(999))
    #expect(folder.count() == 0)
    folder.pass(.milliseconds(1))
    #expect(folder.count() == 1)
    folder.pass(.seconds(100))
    #expect(folder.count() == 0)
  }

  @Test func `a change is told when there was quiet for the debounce`() throws {
    let folder = try WatchedFolder()
    folder.watch("file", debounce: .seconds(1))
    for _ in 0..<5 {
      try folder.write("file")
      folder.pass(.milliseconds(700))
      #expect(folder.count() == 0)
    }
    folder.pass(.milliseconds(300))
    #expect(folder.count() == 1)
  }

  @Test func `a file that never stops growing is told after ten times the debounce`() throws {
    let folder = try WatchedFolder()
    folder.watch("file", debounce: .seconds(1))
    var toldAt: [Int] = []
    for half in 0..<50 {
      try folder.write("file")
      if folder.count() == 1 { toldAt.append(half) }
      folder.pass(.milliseconds(500))
      if folder.count() == 1 { toldAt.append(half + 1) }
    }
    // The second time counts from the first write after the first call.
    #expect(toldAt == [20, 40])
  }

  // MARK: What the system refuses

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
    // By turns: the kernel makes one of two equal events in a row.
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
  func `what the system refuses is told once and tried again`(number: Int32) throws {
    let refusals = Switch()
    let folder = try WatchedFolder { descriptor, path, mask in
      guard String(cString: path).hasSuffix("/inbox"), refusals.isOn else {
        return inotify_add_watch(descriptor, path, mask)
      }
      errno = number
      return -1
    }
    try folder.makeFolder("inbox")
    let keys: Set = [folder.key("inbox", job: "one"), folder.key("inbox/file", job: "two")]
    folder.watch(keys)
    folder.watch(keys)
    folder.pass(.seconds(30))
    folder.pass(.seconds(30))
    let troubles = folder.troubles()
    #expect(troubles.count == 1)
    let hint = number == ENOSPC ? "raise fs.inotify.max_user_watches" : "the right to read"
    #expect(troubles.first?.contains(hint) == true)
    #expect(troubles.first?.hasPrefix(folder["inbox"]) == true)
    // Seen by the next try alone.
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
    let folder = try WatchedFolder { descriptor, path, mask in
      guard String(cString: path).hasSuffix("/inbox"), refusals.isOn else {
        return inotify_add_watch(descriptor, path, mask)
      }
      errno = ENOSPC
      return -1
    }
    try folder.makeFolder("inbox")
    folder.watch("inbox")
    refusals.isOn = false
    folder.watch("inbox")
    #expect(folder.changes() == [])
    try folder.makeFolder("inbox/x")
    #expect(folder.changes() == ["job"])
  }

  // MARK: All together

  /// Random deeds in a small tree, watched by paths and links that share folders: at the end each
  /// path is watched as it stands.
  @Test(arguments: UInt64(0)..<20)
  func `no sequence of deeds makes it blind`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let folder = try WatchedFolder()
    let places = ["a", "b", "a/a", "a/b", "b/a", "b/b", "a/a/a", "b/a/b"]
    try folder.link("l", to: "a")
    let watched = places + ["l/a", "l/b", "l/a/a"]
    folder.watch(Set(watched.map { folder.key($0, job: $0) }))
    for _ in 0..<300 {
      let place = places[Int.random(in: 0..<places.count, using: &random)]
      let other = places[Int.random(in: 0..<places.count, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: try? folder.makeFolder(place)
      case 2: try? folder.write(place)
      case 3: try? folder.delete(place)
      case 4, 5: try? folder.move(place, to: other)
      case 6: try? folder.link(place, to: folder[other])
      default: try? folder.makeFolders(place)
      }
      if Bool.random(using: &random) { _ = folder.changes() }
    }
    for place in places { try? folder.delete(place) }
    _ = folder.changes()
    for place in ["a", "a/a", "a/b", "b", "b/a", "b/b"] {
      try folder.makeFolder(place)
      #expect(folder.changes().contains(place))
      try folder.makeFolder(place + "/x")
      #expect(folder.changes().contains(place))
      try folder.delete(place + "/x")
      #expect(folder.changes() == [])
    }
  }

  @Test func `one that nobody needs any more closes its descriptor`() throws {
    weak var watches: PathWatches?
    let queue = DispatchQueue(label: "test")
    do {
      let folder = try WatchedFolder(queue: queue)
      folder.watch("file")
      watches = folder.watches
      #expect(watches != nil)
    }
    // What the reactor and the queue still do may hold it for a moment.
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      try WatchedFolder.reactor.get().perform { _ in done.signal() }
      #expect(done.wait(timeout: .now() + 10) == .success)
      queue.sync {}
    }
    #expect(watches == nil)
  }
}

/// A switch that tests and the system calls under them share.
private final class Switch: Sendable {
  private let state = Mutex(true)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
