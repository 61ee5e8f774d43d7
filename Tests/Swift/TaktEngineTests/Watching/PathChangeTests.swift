import Dispatch
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// Changes at a path, and the times of their reports.
@Suite struct PathChangeTests {
  /// Steps before a path is watched and after it.
  struct Course: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var path: String
    var before: String
    var after: String

    init(_ name: String, _ path: String, before: String = "", _ after: String) {
      (testDescription, self.path, self.before, self.after) = (name, path, before, after)
    }
  }

  @Test(arguments: [
    Course(
      "a file that is created, written, or moved into place is told", "file",
      "write file !, write file !, write other -, move other file !"),
    Course(
      "an entry of a folder that is created, written, or moved in is told", "inbox",
      before: "folder inbox",
      "write inbox/a !, write inbox/a !, write outside -, move outside inbox/b !, folder inbox/sub !"
    ),
    Course(
      "a job that empties its inbox does not wake itself", "inbox",
      before: "folder inbox, folder inbox/sub, write inbox/a, write inbox/b",
      "delete inbox/a, move inbox/b done, delete inbox/sub, write done -, folder inbox/c !"),
    Course(
      "what happens deeper inside a folder is not told", "inbox", before: "folders inbox/sub",
      "write inbox/sub/file -"),
    Course(
      "removal, moving away, and rights of a file are not told", "file", before: "write file",
      "mode file, move file aside, write aside -, move aside file !, delete file -, folder file !"),
    Course(
      "a file is told when two folders above it were missing", "a/b/file",
      "folder a, folder a/b -, write a/b/file !, write a/b/file !"),
    Course(
      "folders and file that come at one stroke are told", "a/b/file",
      "folders a/b, write a/b/file !, delete a -, folders a/b, write a/b/file !, delete a, "
        + "folders a/b, write a/b/file !"),
    Course(
      "a folder that is renamed away and made again is told and watched", "inbox",
      before: "folder inbox",
      "move inbox old, write old/late -, folder inbox !, folder inbox/a !, write old/later -"),
    Course(
      "a file comes back with its folder, the same as before", "a/b/file",
      before: "folders a/b, write a/b/file", "move a x -, move x a -, write a/b/file !"),
    Course(
      "a file comes back with its folder, and was written meanwhile", "a/b/file",
      before: "folders a/b, write a/b/file",
      "move a x, write x/b/file -, move x a !, write a/b/file !"),
    Course(
      "a folder that takes an ancestor's place brings another file", "a/b/file",
      before: "folders a/b, write a/b/file, folders new/b, write new/b/file",
      "move a old, move new a !, write old/b/file -, write a/b/file !"),
    Course(
      "a file that becomes a folder and a file again is watched throughout", "path",
      before: "write path",
      "delete path, folder path !, write path/entry !, delete path -, write path !, write path !"),
    Course(
      "a file in the place of a folder on the way is nothing", "a/file", before: "write a",
      "write a, delete a, folder a -, write a/file !"),
    Course(
      "a link on the way that is swapped brings another file", "current/file",
      before: "folder v1, write v1/file, folder v2, write v2/file, link current v1",
      "write v1/file !, link next ROOT/v2, move next current !, write v1/file -, write v2/file !"),
    Course(
      "a link to a file is swapped, broken and fixed", "file",
      before: "folder sub, write sub/one, link file ./sub/../sub/one",
      "write sub/one !, delete sub/one -, write sub/one !, write sub/two, link other sub/two, "
        + "move other file !, write sub/two !"),
  ])
  func `only a path's own changes are reported`(course: Course) throws {
    let folder = try WatchedFolder()
    func look(isTold: Bool, deed: String) {
      #expect(folder.changes() == (isTold ? ["job"] : []), "\(deed)")
    }
    try folder.perform(course.before, look: look)
    folder.watch(course.path)
    try folder.perform(course.after, look: look)
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

  @Test func `a change is reported after a quiet time of the debounce`() throws {
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

  @Test func `a file that never stops growing is reported after ten times the debounce`() throws {
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

  /// Random steps in a small tree, watched by paths and links that share folders: at the end each
  /// path is watched in its present form.
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
    // Remaining work of the reactor and the queue may hold it for a moment.
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      try WatchedFolder.reactor.get().perform { _ in done.signal() }
      #expect(done.wait(timeout: .now() + 10) == .success)
      queue.sync {}
    }
    #expect(watches == nil)
  }

  @Test func `a file deleted and made again in fast succession is reported each time`() throws {
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

  @Test func `each of 200 saves by renaming is seen`() throws {
    let folder = try WatchedFolder()
    try folder.write("file")
    folder.watch("file")
    for _ in 0..<200 {
      try folder.write(".file.new")
      try folder.move(".file.new", to: "file")
      try folder.awaitChange()
      // No second call for the same save, which could be taken for the next one.
      #expect(folder.count() == 1)
    }
    #expect(folder.watches.inodeCount == folder.root.split(separator: "/").count + 2)
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
}
