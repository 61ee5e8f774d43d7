import Dispatch
import Foundation
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// What a change at a path is, and when it is told.
@Suite struct PathChangeTests {
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
    var reportedAt: [Int] = []
    for half in 0..<50 {
      try folder.write("file")
      if folder.count() == 1 { reportedAt.append(half) }
      folder.pass(.milliseconds(500))
      if folder.count() == 1 { reportedAt.append(half + 1) }
    }
    // The second time counts from the first write after the first call.
    #expect(reportedAt == [20, 40])
  }

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
