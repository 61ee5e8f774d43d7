import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// Whole files with mistakes: each ends in diagnostics with their exact places.
struct BadFilesTests {
  static let badFiles: [String] = [
    "badDuration | jobs:\n  a:\n    every: »30\n    run: x\n",
    "badDuration | jobs:\n  a:\n    every: »30sec\n    run: x\n",
    "unknownKey | jobs:\n  a:\n    »evry: 30s\n    run: x\n",
    "unknownKey | »job:\n  a: {every: 1s, run: x}\n",
    "duplicateKey | jobs:\n  a:\n    every: 1s\n    run: x\n    »every: 2s\n",
    "duplicateKey | jobs:\n  a: {every: 1s, run: x}\n  b: {every: 1s, run: x}\n  »a: {on: start, run: x}\n",
    "duplicateKey | jobs: {}\n»jobs: {}\n",
    "syntax | jobs:\n  a:\n»\tevery: 1s\n",
    "syntax | jobs:\n»\ta:\n",
    "syntax | jobs:\n  a:\n    every: 1s\n   »run: x\n",
    "syntax | jobs:\n  a:\n    run: »\"x\n  b:\n",
    "syntax | jobs:\n  a: »{every: 1s, run: x\n",
    "syntax | jobs:\n  a:\n    run: »[x, y\n    every: 1s\n",
    "syntax | jobs:\n  a:\n    run: »@x\n    every: 1s\n",
    "syntax | jobs:\n  a:\n    run: \"»\\q\"\n",
    "syntax | jobs:\n  a:\n    run: x»: y: z\n",
    "syntax | jobs:\n  a:\n    run: x»\u{1}\n",
    "manyDocuments | jobs: {}\n»---\njobs: {}\n",
    "empty | ",
    "empty | # only\n# comments\n",
    "empty | ---\n",
    "wrongType | »- jobs\n",
    "wrongType | »hello\n",
    "wrongType | jobs: »[a, b]\n",
    "wrongType | jobs: »5\n",
    "wrongType | jobs:\n  »a: 5\n",
    "wrongType | jobs:\n  »a:\n",
    "wrongType | jobs: {}\n»[a, b]: c\n",
    "missingKey | defaults: {}\n",
    "missingKey | x-y: {}\n",
    "badTag | jobs:\n  a: {every: 1s, run: »!!python/name:x y}\n",
    "badTag | jobs:\n  a: {every: 1s, run: »!secret y}\n",
    "badTag | jobs:\n  a: »!!seq {every: 1s, run: y}\n",
    "badTag | scheduler: {max_running: »!!int many}\njobs: {}\n",
    "badTag | jobs: {a: {every: 1s, run: x»!foo!bar y}}\n".replacing("x»", with: "»"),
    "unknownAlias | jobs:\n  a: »*base\n",
    "unknownAlias | x-a: &a [»*a]\njobs: {}\n",
    "badMerge | jobs:\n  a: {<<: »5, every: 1s, run: x}\n",
    "misplacedKey | jobs: {}\n»max_running: 5\n",
    "misplacedKey | jobs: {}\n»every: 5s\n",
    "misplacedKey | jobs: {}\nscheduler: {»jobs: 5}\n",
    "misplacedKey | defaults: {»every: 5s}\njobs: {}\n",
    "unknownZone | scheduler: {timezone: »Europe/Berlni}\njobs: {}\n",
    "outOfRange | scheduler: {max_running: »0}\njobs: {}\n",
    "badNumber | scheduler: {max_running: »\"16\"}\njobs: {}\n",
    "badDuration | scheduler: {shutdown_grace: »30}\njobs: {}\n",
    "unknownKey | scheduler: {»time_zone: UTC}\njobs: {}\n",
    "includeMissing | include: »other.yaml\njobs: {}\n",
  ]

  @Test(arguments: badFiles)
  func `a bad file is reported with its place`(row: String) throws { try check(badRow: row) }

  @Test func `a file with four mistakes reports four`() throws {
    try check(
      badRow: """
        badDuration unknownKey badChoice duplicateKey | jobs:
          a:
            every: »30
            run: x
          b:
            »evry: 5s
            run: x
            qos: »utilty
          c: {on: start, run: x, »on: reload}
        """)
  }

  @Test func `what stands before a syntax error is reported too`() throws {
    try check(
      badRow: """
        badDuration unknownKey syntax | jobs:
          a: {every: »30, run: x}
          b:
            »evry: 5s
            run: »[x
          c: {nothing: here}
        """)
  }

  @Test func `what stands before bytes that are no text is reported too`() {
    let text = Array("jobs:\n  a: {every: 30, run: x}\n  b: {every: 1s, run: ".utf8)
    let loaded = load(text + [0xff] + Array("}\n  c: {every: 30}\n".utf8))
    #expect(rows(loaded.diagnostics) == ["2:14 badDuration", "3:23 notUTF8"])
  }

  @Test(
    arguments: [
      ([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0], "1:1 syntax"), ([0, 1, 2], "1:1 notUTF8"),
      ([0x61, 0x0a, 0x62, 0], "2:2 notUTF8"), ([0xff, 0xfe, 0x61, 0], "1:1 notUTF8"),
      ([0x61, 0xc3], "1:2 notUTF8"), ([0xed, 0xa0, 0x80], "1:1 notUTF8"),
      ([0x61, 0xc3, 0xa9, 0xe2, 0x82], "1:3 notUTF8"),
    ] as [([UInt8], String)])
  func `bytes that are no text are reported with their place`(bytes: [UInt8], row: String) {
    #expect(rows(load(bytes).diagnostics) == [row])
  }

  @Test func `an alias bomb is an error at the alias that goes off`() {
    var text = "x-0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let alias = "*a\(level - 1)"
      text +=
        "x-\(level): &a\(level) [\(Array(repeating: alias, count: 10).joined(separator: ", "))]\n"
    }
    #expect(rows(load(text + "jobs: {}\n").diagnostics) == ["7:46 tooManyNodes"])
  }

  @Test(arguments: ["[", "{a: ", "- ", "? ", "[{a: "])
  func `no depth of nesting is too much for takt`(sign: String) {
    let loaded = load("jobs: {}\nx-deep:\n " + String(repeating: sign, count: 100_000))
    #expect(loaded.diagnostics.map(\.code) == [.tooDeep])
  }

  @Test func `nested block mappings are bounded at 64`() {
    func nested(_ depth: Int) -> String {
      (0..<depth).map { String(repeating: " ", count: $0) + "x-a:\n" }.joined()
        + String(repeating: " ", count: depth) + "b\n"
    }
    #expect(rows(load("jobs: {}\n" + nested(64)).diagnostics) == ["empty"])
    #expect(rows(load("jobs: {}\n" + nested(65)).diagnostics) == ["66:65 tooDeep"])
  }

  @Test func `depth counts through aliases`() {
    var text = "x-0: &a0 \(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))\n"
    text += "x-1: \(String(repeating: "[", count: 30))*a0\(String(repeating: "]", count: 30))\n"
    #expect(rows(load(text + "jobs: {}\n").diagnostics) == ["2:36 tooDeep"])
  }

  @Test func `things that are no files are reported as such`() {
    let folder = TemporaryFolder()
    let cases = [
      (folder.makeFolder("folder"), "a folder"), (folder.makePipe("pipe"), "a pipe"),
      ("/dev/zero", "a device"), (folder["missing.yaml"], "no such file"),
      (folder["folder/x/y"], "no such file"), (folder.write("", to: "f") + "/x", "directory"),
      (folder.makeLink("loop", to: "loop"), "symbolic links"), ("", "no such file"),
      ("a\0b", "no such file"),
    ]
    for (path, words) in cases {
      let loaded = loader.load(path: path)
      #expect(rows(loaded.diagnostics) == ["unreadable"])
      #expect(loaded.diagnostics.first?.message.contains(words) == true, "\(path)")
      #expect(loaded.snapshot == nil)
    }
  }

  @Test func `a file of 100 MB is refused unread`() {
    let folder = TemporaryFolder()
    let loaded = loader.load(path: folder.writeSparse(100 << 20, to: "jobs.yaml"))
    #expect(rows(loaded.diagnostics) == ["tooLarge"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `a file that may not be read is reported as such`() {
    let folder = TemporaryFolder()
    let path = folder.write([], to: "jobs.yaml", mode: 0)
    #expect(rows(loader.load(path: path).diagnostics) == ["unreadable"])
  }

  @Test func `past a hundred problems the rest is counted`() {
    let jobs = (1...250).map { "  j\($0): {every: 30, run: x}\n" }.joined()
    let diagnostics = load("jobs:\n" + jobs).diagnostics
    #expect(diagnostics.count == 101)
    #expect(diagnostics.last?.message == "150 more problems are not shown")
    #expect(diagnostics.last?.code == .moreProblems)
  }

  @Test func `a mistake in an anchored mapping is reported once`() {
    let loaded = load(
      """
      x-base: &base {qos: high, evry: 1s}
      jobs:
        a: {<<: *base, every: 1s, run: x}
        b: {<<: *base, every: 1s, run: x}
      """)
    #expect(rows(loaded.diagnostics) == ["1:21 badChoice", "1:27 unknownKey"])
  }

  @Test func `a diagnostic shows its line and a caret under the character`() throws {
    let loaded = load("jobs:\n  a: {run: \"e\u{301}😀\", evry: 1s}\n")
    let diagnostic = try #require(loaded.diagnostics.first)
    #expect(
      diagnostic.text.split(separator: "\n").dropFirst() == [
        "    a: {run: \"e\u{301}😀\", evry: 1s}", "                   ^",
      ])
    #expect(diagnostic.location.column == 18)
    #expect(diagnostic.hint == "did you mean 'every'?")
    #expect(diagnostic.message == "unknown key 'evry' in job 'a'")
  }
}
