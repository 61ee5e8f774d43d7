import Testing

@testable import TaktConfig

struct FilePathTests {
  @Test(arguments: [
    ("a", ""), ("a/b", "a"), ("/a", "/"), ("/a/b/c", "/a/b"), ("", ""), ("a/", "a"),
  ])
  func `the folder of a path`(path: String, folder: String) {
    #expect(FilePath.folder(of: path) == folder)
  }

  @Test(arguments: [
    ("", "b", "b"), ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), ("a", "/b", "/b"),
  ])
  func `a path seen from a folder`(folder: String, path: String, joined: String) {
    #expect(FilePath.join(folder, path) == joined)
  }

  @Test func `an absolute path keeps what links may change`() {
    #expect(FilePath.absolute("/a/./b//../c/") == "/a/b/../c")
    #expect(FilePath.absolute("/") == "/")
    #expect(FilePath.absolute("x/y").hasPrefix("/"))
    #expect(FilePath.absolute("x/y").hasSuffix("/x/y"))
  }
}
