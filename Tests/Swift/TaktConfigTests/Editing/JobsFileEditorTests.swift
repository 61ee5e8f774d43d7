import TaktCore
import Testing

@testable import TaktConfig

/// Keys that are set in the text of a jobs file.
@Suite struct JobsFileEditorTests {
  private func edited(
    _ text: String, _ path: [String], _ value: String, of job: String = "a"
  ) throws -> String {
    var editor = JobsFileEditor(Array(text.utf8))
    try editor.set(path, of: job, to: value)
    return editor.text
  }

  @Test func `a new key stands in front of the others, and comments stay`() throws {
    let text = """
      # The file.
      jobs:
        a:  # nightly
          # When.
          cron: '0 3 * * *'
          run: |
            echo "timeout: 5"   # no key
        b: {every: 1h, run: x}
      """
    #expect(
      try edited(text, ["timeout"], "5m")
        == text.replacing("  # nightly\n", with: "  # nightly\n    timeout: 5m\n"))
    #expect(
      try edited(text, ["timeout"], "5m", of: "b")
        == text.replacing("b: {every", with: "b: {timeout: 5m, every"))
    #expect(
      try edited(text, ["retry", "attempts"], "1")
        == text.replacing("  # nightly\n", with: "  # nightly\n    retry: {attempts: 1}\n"))
  }

  @Test(arguments: [
    ("timeout: 10s   # why", "timeout: 5m   # why"), ("timeout: '10s'", "timeout: 5m"),
    ("\"timeout\" :  \"10s\"", "\"timeout\" :  5m"),
  ])
  func `a value is replaced in its place`(old: String, new: String) throws {
    let text = "jobs:\n  a:\n    every: 1h\n    \(old)\n    run: x\n"
    #expect(try edited(text, ["timeout"], "5m") == text.replacing(old, with: new))
  }

  @Test(arguments: [
    ("limits: {files: 9, memory_max: 1GB}  # c", "limits: {files: 9, memory_max: 2GB}  # c"),
    ("limits: {files: 9}", "limits: {memory_max: 2GB, files: 9}"),
    ("limits: {}", "limits: {memory_max: 2GB}"),
    ("limits:\n      files: 9", "limits:\n      memory_max: 2GB\n      files: 9"),
    ("limits: # c\n      memory_max: 1GB", "limits: # c\n      memory_max: 2GB"),
  ])
  func `a key within a key is set`(old: String, new: String) throws {
    let text = "jobs:\n  a:\n    every: 1h\n    \(old)\n    run: x\n"
    #expect(
      try edited(text, ["limits", "memory_max"], "2GB") == text.replacing(old, with: new))
  }

  @Test(arguments: [
    (
      "limits: {files: 9, memory_max: 1GB}",
      "limits: {enforce: if_possible, files: 9, memory_max: 2GB}"
    ),
    ("limits: {files: 9}", "limits: {memory_max: 2GB, enforce: if_possible, files: 9}"),
    ("limits: {}", "limits: {memory_max: 2GB, enforce: if_possible}"),
    (
      "limits:\n      files: 9",
      "limits:\n      memory_max: 2GB\n      enforce: if_possible\n      files: 9"
    ),
    ("nice: 3", "limits: {memory_max: 2GB, enforce: if_possible}\n    nice: 3"),
  ])
  func `two keys within a key are set together`(old: String, new: String) throws {
    let text = "jobs:\n  a:\n    \(old)\n    every: 1h\n    run: x\n"
    var editor = JobsFileEditor(Array(text.utf8))
    try editor.set(
      ["limits", "memory_max"], of: "a", to: "2GB", beside: [("enforce", "if_possible")])
    #expect(editor.text == text.replacing(old, with: new))
  }

  @Test func `several keys of several jobs are set at once, and the file loads`() throws {
    let text = "jobs:\n  a: {every: 1h, run: x}\n  b:\r\n    every: 2h\r\n    run: x"
    var editor = JobsFileEditor(Array(text.utf8))
    try editor.set(["timeout"], of: "a", to: "1m")
    try editor.set(["every"], of: "a", to: "3h")
    try editor.set(["timeout"], of: "b", to: "2m")
    try editor.set(["expected"], of: "b", to: "1m")
    let loaded = load(editor.text)
    let jobs = try #require(loaded.snapshot?.jobs, "\(editor.text) \(loaded.diagnostics)")
    #expect(jobs.map(\.execution.timeout) == [.seconds(60), .seconds(120)])
    #expect(jobs[0].timing.schedule.every?.interval == .seconds(3 * 3600))
    #expect(jobs[1].expectedDuration == .seconds(60))
  }

  @Test func `a key of the job's own goes before one of a merge`() throws {
    let text = """
      x-base: &base {timeout: 1m, every: 1h}
      jobs:
        a:
          <<: *base
          run: x
      """
    #expect(
      try edited(text, ["timeout"], "5m")
        == text.replacing("  a:\n", with: "  a:\n    timeout: 5m\n"))
  }

  @Test(arguments: [
    ("jobs:\n  a: &x {every: 1h, run: x}\n", JobsFileEditor.Refusal.indirect),
    ("jobs:\n  b: &x {every: 1h, run: x}\n  a: *x\n", .indirect),
    ("jobs:\n  a: !!map\n    every: 1h\n", .indirect),
    ("jobs:\n  a:\n    for_each: {t: [a]}\n    every: 1h\n", .family),
    ("jobs:\n  b: {every: 1h, run: x}\n", .notHere), ("include: [x.yaml]\n", .notHere),
    ("jobs:\n  a:\n    timeout: &t 1h\n    run: x\n", .intricate(key: "timeout")),
    ("jobs:\n  a:\n    timeout:\n      1h\n    run: x\n", .intricate(key: "timeout")),
    ("jobs:\n  a:\n    timeout: [1h]\n    run: x\n", .intricate(key: "timeout")),
    ("jobs: [\n", .unreadable), ("", .unreadable), ("jobs:\n  a: x\n", .indirect),
  ])
  func `what is not plainly in its place is refused`(
    text: String, refusal: JobsFileEditor.Refusal
  ) {
    var editor = JobsFileEditor(Array(text.utf8))
    #expect(throws: refusal) { try editor.set(["timeout"], of: "a", to: "5m") }
    #expect(editor.text == text)
    #expect(!refusal.sentence.isEmpty)
  }

  @Test func `lines of Windows keep their ends`() throws {
    let text = "jobs:\r\n  a:\r\n    every: 1h\r\n    run: x\r\n"
    let new = try edited(text, ["timeout"], "5m")
    #expect(new == text.replacing("  a:\r\n", with: "  a:\r\n    timeout: 5m\r\n"))
    let difference = UnifiedDiff.text(text, new, file: "jobs.yaml")
    #expect(difference.contains("+    timeout: 5m\r\n     every: 1h\r\n"), "\(difference)")
    #expect(!difference.contains("No newline"), "\(difference)")
  }

  @Test func `a difference has its lines with three around them`() {
    let old = (1...20).map { "\($0)\n" }.joined()
    let new = old.replacing("\n5\n", with: "\n5\nfive\n").replacing("\n18\n", with: "\neighteen\n")
    #expect(
      UnifiedDiff.text(old, new, file: "jobs.yaml") == """
        --- a/jobs.yaml
        +++ b/jobs.yaml
        @@ -3,6 +3,7 @@
         3
         4
         5
        +five
         6
         7
         8
        @@ -15,6 +16,6 @@
         15
         16
         17
        -18
        +eighteen
         19
         20

        """)
    #expect(UnifiedDiff.text(old, old, file: "x") == "")
    #expect(
      UnifiedDiff.text("a", "b\na", file: "/x").hasSuffix(
        "@@ -1,1 +1,2 @@\n+b\n a\n\\ No newline at end of file\n"))
  }
}
