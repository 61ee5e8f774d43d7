import TaktCore
import Testing

struct PathPatternTests {
  @Test(arguments: [
    "*.csv | a.csv sub/a.csv | a.txt .a.csv a.csv.part sub/.a.csv a.csv/b",
    "done | done x/done | undone done/x", "*a*b*c | abc xaxbxc | acb ab",
    "?? | ab üb 夜夜 x/ab | a abc", "[a-c]x | ax cx | dx x", "[!a-c]x | dx | ax",
    "[]]x | ]x | x", "[ab | [ab | a", "a[0-9]*.log | a1.log a12.log | ab.log",
    "sub/*.csv | sub/a.csv | a.csv x/sub/a.csv sub/x/a.csv",
    "**/*.csv | a.csv x/a.csv x/y/a.csv | a.txt .x/a.csv x/.y/a.csv x/.a.csv",
    "a/** | a/b a/b/c a | b/a b", "a/**/z | a/z a/b/z a/b/c/z | a/b b/z",
    "**/x/**/y | x/y a/x/y x/a/y a/x/b/y | y x a/y", "** | a a/b | .a a/.b",
    ".* | .a x/.a | a", "**/.git/* | .git/a x/.git/a | git/a",
  ])
  func `a pattern matches paths by their names`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let pattern = try PathPattern(parts[0])
    for path in parts[1].split(separator: " ") { #expect(pattern.matches(path.utf8), "\(path)") }
    for path in parts[2].split(separator: " ") { #expect(!pattern.matches(path.utf8), "\(path)") }
  }

  @Test(arguments: [
    ("/a", PathPattern.Problem.absolute), ("a//b", .emptyName), ("a/", .emptyName),
    ("", .emptyName),
    ("../a", .dots), ("a/./b", .dots), ("a**/b", .starsInName), ("***", .starsInName),
    (String(repeating: "a", count: 1025), .tooLong),
  ])
  func `a pattern that matches nothing is refused`(text: String, problem: PathPattern.Problem) {
    #expect(throws: problem) { try PathPattern(text) }
  }

  @Test(arguments: [
    ("*.{a,b}", "{a,b}"), ("x/{a/b,c}/*", "{a/b,c}"), ("[ab", "["), ("[/]", "["), ("[]", "["),
    ("[]]", nil), ("[{]a,b}", nil), ("{a}", nil), ("a,b}", nil), ("[!a-z]*", nil),
  ])
  func `a part that other globs read otherwise is found`(text: String, part: String?) throws {
    #expect(try PathPattern(text).literalPart == part)
  }

  @Test func `a pattern takes no longer than its length times that of the path`() throws {
    let names = try PathPattern(String(repeating: "*a", count: 400) + "b")
    #expect(!names.matches(String(repeating: "a", count: 255).utf8))
    let folders = try PathPattern(String(repeating: "**/a/", count: 200) + "b")
    #expect(!folders.matches(String(repeating: "a/", count: 2000).utf8))
  }

  @Test func `names that are no UTF-8 are compared byte by byte`() throws {
    let bytes: [UInt8] = [0x61, 0xff, 0xfe, 0x2e, 0x63]
    #expect(try PathPattern("a??.c").matches(bytes))
    #expect(try PathPattern("*.c").matches(bytes))
    #expect(try !PathPattern("a?.c").matches(bytes))
  }

  @Test func `a trigger covers the paths at which it is due`() throws {
    let plain = PathWatch(path: "/srv/in")
    #expect(plain.covers("/srv/in") && plain.covers("/srv/in/a"))
    #expect(!plain.covers("/srv/in/a/b") && !plain.covers("/srv/inbox/a"))
    let deep = PathWatch(path: "/srv/in", patterns: [try PathPattern("*.csv")], isRecursive: true)
    #expect(deep.covers("/srv/in/x/a.csv") && !deep.covers("/srv/in/x/a.txt"))
    #expect(PathWatch(path: "/", isRecursive: true).covers("/a/b"))
  }
}
