import Glibc
import TaktCore
import Testing

@testable import TaktEngine

/// Folders of which some entries count, or entries below them.
@Suite struct FolderWatchTests {
  struct Course: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var patterns: [String]
    var isRecursive: Bool
    var before: String
    var after: String

    init(
      _ name: String, _ patterns: [String] = [], recursive: Bool = false,
      before: String = "folder inbox", _ after: String
    ) {
      (testDescription, self.patterns, isRecursive) = (name, patterns, recursive)
      (self.before, self.after) = (before, after)
    }
  }

  private func key(
    _ folder: WatchedFolder, _ patterns: [String], recursive: Bool
  ) throws -> WatchKey {
    var key = folder.key("inbox")
    key.patterns = try patterns.map { try PathPattern($0) }
    key.isRecursive = recursive
    return key
  }

  @Test(arguments: [
    Course(
      "what happens in folders below is told", recursive: true, before: "folders inbox/sub",
      "write inbox/sub/a !, write inbox/a !, folder inbox/new !, write inbox/new/a !, "
        + "folders inbox/p/q/r !, write inbox/p/q/r/a !, delete inbox/sub -"),
    Course(
      "a folder that leaves is not watched, and one that comes is", recursive: true,
      before: "folders inbox/sub",
      "move inbox/sub out -, write out/a -, move out inbox/back !, write inbox/back/b !"),
    Course(
      "a folder that moves within the tree is told with what counts in it", ["ready/**/*.csv"],
      before: "folders inbox/part/x, folders inbox/other",
      "write inbox/part/x/a.csv -, move inbox/other inbox/another -, move inbox/part inbox/ready !, "
        + "write inbox/ready/x/b.csv !, move inbox/ready inbox/done -, write inbox/done/x/c.csv -"),
    Course(
      "only names of a pattern are told", ["*.csv"],
      "write inbox/a.txt -, write inbox/a.csv !, write inbox/.a.csv -, write inbox/b.part -, "
        + "move inbox/b.part inbox/b.csv !, folder inbox/sub -, write inbox/sub/c.csv -"),
    Course(
      "one of several patterns is enough", ["*.csv", "done"],
      "write inbox/a.csv !, write inbox/done !, write inbox/undone -"),
    Course(
      "a pattern without a slash counts in each folder of a tree", ["*.csv"], recursive: true,
      before: "folders inbox/sub",
      "write inbox/sub/a.csv !, write inbox/sub/a.txt -, folder inbox/other -, "
        + "write inbox/other/a.csv !"),
    Course(
      "a pattern with folders counts below", ["**/*.csv"], before: "folders inbox/sub",
      "write inbox/sub/a.txt -, write inbox/sub/a.csv !, write inbox/a.csv !, folders tree/x, "
        + "write tree/x/a.csv -, move tree inbox/tree !, write inbox/tree/x/b.csv !, "
        + "write inbox/tree/x/b.txt -"),
    Course(
      "what is in a new folder before it is watched is told", ["**/*.csv"],
      "folders inbox/n/m, write inbox/n/m/a.csv !, folders inbox/o/m, write inbox/o/m/a.txt -"),
    Course(
      "a folder that goes and returns is told with what counts in it", ["*.csv"],
      "delete inbox -, folder inbox -, write inbox/a.csv !, move inbox gone -, write gone/b.txt -, "
        + "move gone inbox !, write inbox/c.csv !"),
    Course(
      "a folder that comes later is told of what counts", ["*.csv"], before: "folder x",
      "folder inbox -, write inbox/a.txt -, write inbox/a.csv !"),
    Course(
      "links are not followed", ["**/*.csv"], before: "folder inbox, folders other/sub",
      "link inbox/link ROOT/other -, write other/a.csv -, write other/sub/a.csv -"),
  ])
  func `only changes that count in a folder are reported`(course: Course) throws {
    let folder = try WatchedFolder()
    try folder.perform(course.before) { _, _ in }
    folder.watch([try key(folder, course.patterns, recursive: course.isRecursive)])
    #expect(folder.changes() == [], "\(course.before)")
    try folder.perform(course.after) { isTold, deed in
      #expect(folder.changes() == (isTold ? ["job"] : []), "\(deed)")
    }
    #expect(folder.troubles() == [])
  }

  @Test func `a run gets the paths below that count`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolders("inbox/sub")
    folder.watch([try key(folder, ["**/*.csv"], recursive: false)])
    try folder.write("inbox/sub/a.csv")
    try folder.write("inbox/sub/a.txt")
    #expect(folder.paths() == ["inbox/sub/a.csv"])
    try folder.makeFolders("inbox/x/y")
    try folder.write("inbox/x/y/b.csv")
    #expect(folder.paths() == ["inbox/x/y/b.csv"])
    try folder.move("inbox/x", to: "inbox/z")
    #expect(folder.paths() == ["inbox/z/y/b.csv"])
  }

  @Test func `folders that are gone leave no watch behind`() throws {
    let folder = try WatchedFolder()
    try folder.makeFolder("inbox")
    folder.watch([try key(folder, [], recursive: true)])
    let count = folder.watches.inodeCount
    try folder.makeFolders("inbox/a/b/c")
    folder.watches.catchUp()
    #expect(folder.watches.inodeCount == count + 3)
    try folder.delete("inbox/a")
    folder.watches.catchUp()
    #expect(folder.watches.inodeCount == count)
    folder.watch([])
    #expect(folder.watches.inodeCount == 0)
  }

  @Test func `a limit of the system is reported once, and watched folders still report`() throws {
    let folder = try WatchedFolder(add: { descriptor, path, bits in
      guard String(cString: path).hasSuffix("/full") else {
        return inotify_add_watch(descriptor, path, bits)
      }
      errno = ENOSPC
      return -1
    })
    try folder.makeFolders("inbox/full/below")
    folder.watch([try key(folder, [], recursive: true)])
    #expect(folder.troubles().count == 1)
    #expect(folder.troubles().allSatisfy { $0.contains("fs.inotify.max_user_watches") })
    try folder.write("inbox/a")
    #expect(folder.changes() == ["job"])
    try folder.write("inbox/full/a")
    #expect(folder.changes() == [])
    #expect(folder.troubles().count == 1)
  }
}
