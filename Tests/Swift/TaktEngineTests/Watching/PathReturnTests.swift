import Foundation
import Testing
import TimerMachineTesting

@testable import TaktEngine

/// Paths that come and go, and links on the way.
@Suite struct PathReturnTests {
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

  @Test func `a link to a file is swapped, broken and fixed`() throws {
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
}
