import TaktCore
import Testing

@testable import TaktImport

/// Texts that are written and read back.
@Suite struct YAMLWriterTests {
  @Test func `any text reads back as it is`() throws {
    var random = SeededGenerator(seed: 7)
    let signs: [Unicode.Scalar] = Array(
      "abz09 \t\n\r:#'\"\\{}[],&*!|>%@`-?~$=./\u{1}\u{7f}\u{85}\u{a0}\u{2028}\u{feff}äß€😀"
        .unicodeScalars)
    var texts = [
      "", " ", "null", "true", "~", "yes", "1", "0x1f", "1.5", "-", "? a", "a: b", "a #b", "'",
      "\"", "\\",
    ]
    for _ in 0..<3000 {
      let count = Int.random(in: 1...12, using: &random)
      texts.append(
        String(
          String.UnicodeScalarView(
            (0..<count).map { _ in signs.randomElement(using: &random) ?? "a" })))
    }
    // Texts of several lines, and long ones.
    for _ in 0..<1000 {
      let parts = [
        "a", "word", "#", "- ", " ", "  ", "\n", "\n\n", "\t", ": ", "'", "\"", "\\", "ä", "|",
      ]
      let count = Int.random(in: 2...80, using: &random)
      texts.append((0..<count).map { _ in parts.randomElement(using: &random) ?? "a" }.joined())
    }
    for count in [90, 99, 100, 101, 300] {
      texts.append(String(repeating: "word ", count: count / 5) + "x")
      texts.append(String(repeating: "x", count: count))
      texts.append("first\n" + String(repeating: "word ", count: count / 5) + "x\n")
    }
    var job = JobDraft(name: "a")
    job[.on] = .word("start")
    job[.run] = .list([.text("x")] + texts.map(DraftValue.text))
    job[.environment] = .map(
      texts.enumerated().map { DraftEntry(key: "V\($0.offset)", value: .text($0.element)) })
    let text = JobsFileText(header: ["test"], jobs: [job], groups: []).text
    let spec = try #require(ImportFixture.load(text).jobs.first)
    #expect(spec.action == .argv(["x"] + texts))
    for (number, text) in texts.enumerated() {
      #expect(spec.execution.environment["V\(number)"] == text)
    }
  }

  @Test(arguments: [
    ("one\ntwo\n", "|\n      one\n      two\n"), ("one\n\n  two", "|-\n      one\n\n        two\n"),
    ("one\n", "\"one\\n\"\n"), ("one \ntwo", "\"one \\ntwo\"\n"), (" one\ntwo", "\" one\\ntwo\"\n"),
    ("one\n\n", "\"one\\n\\n\"\n"), ("short text", "'short text'\n"),
    (
      String(repeating: "0123456789 ", count: 9) + "end",
      ">-\n      0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\n"
        + "      0123456789 end\n"
    ),
  ])
  func `a text of several lines, or a long one, is a block`(text: String, block: String) throws {
    var job = JobDraft(name: "a")
    job[.on] = .word("start")
    job[.run] = .text(text)
    let written = JobsFileText(header: [], jobs: [job], groups: []).text
    #expect(written.hasSuffix("    run: " + block), "\(written)")
    #expect(try ImportFixture.load(written).jobs.first?.action == .shell(text))
  }

  @Test func `variables that all jobs have are defaults`() throws {
    var jobs: [JobDraft] = []
    for (name, own) in [("a", "1"), ("b", "2"), ("c", "2")] {
      var job = JobDraft(name: name)
      job[.on] = .word("start")
      job[.run] = .text("true")
      job[.environment] = .mapping(["PATH": .text("/bin"), "OWN": .text(own), "LANG": .text("C")])
      jobs.append(job)
    }
    let text = JobsFileText(header: [], jobs: jobs, groups: []).text
    #expect(text.contains("defaults:\n  env: {PATH: /bin, LANG: C}\n"), "\(text)")
    #expect(text.contains("  a:\n    on: start\n    env: {OWN: '1'}\n"), "\(text)")
    let specs = try ImportFixture.load(text).jobs
    #expect(
      specs.map(\.execution.environment)
        == ["1", "2", "2"].map {
          ["PATH": "/bin", "OWN": $0, "LANG": "C"]
        })
  }

  @Test(arguments: [
    ("/usr/bin/run it", "usr-bin-run-it"), ("", "job"), ("---", "job"), ("ä", "job"),
    ("a@b", "a-b"),
    ("0x1f", "0x1f"), ("true", "true"), (".hidden", "hidden"),
    (String(repeating: "a", count: 300), String(repeating: "a", count: 128)),
  ])
  func `a name is made valid`(text: String, name: String) {
    var names = JobNames()
    #expect(names.name(like: text) == name)
    #expect(JobName(names.name(like: text)) != nil)
  }
}

/// Numbers that are the same each time.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
