import Foundation
import Glibc
import Testing

/// Triggers besides the clock, with the real program.
@Suite(.ownThreads) struct TriggerTests {
  private func verify(_ folder: TemporaryFolder) throws -> Int32 {
    let process = try folder.takt("verify")
    return process.status
  }

  @Test func `files that come start a job, and its end starts the next one`() throws {
    let (folder, process) = try TaktProcess.running(
      """
      jobs:
        import: {watch: {path: inbox, debounce: 50ms}, run: 'cat inbox/* && rm inbox/*'}
        report: {after: {job: import}, run: echo reported}
        alarm: {after: {job: report, on: failure}, run: echo never}
      """)
    try process.line("the start") { $0.message?.hasPrefix("started") == true }
    // The folder does not exist yet, and comes with the first file in it.
    let (staging, inbox) = (
      folder.url.appendingPathComponent("staging"), folder.url.appendingPathComponent("inbox")
    )
    try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
    for word in ["one", "two"] {
      let file = (word == "one" ? staging : folder.url).appendingPathComponent(word)
      try word.write(to: file, atomically: false, encoding: .utf8)
      if word == "one" {
        try FileManager.default.moveItem(at: staging, to: inbox)
      } else {
        try FileManager.default.moveItem(at: file, to: inbox.appendingPathComponent(word))
      }
      try process.line("what has come") { $0.line == word }
      try process.line("what follows") { $0.line == "reported" }
    }
    #expect(try process.stop() == 0)
    let causes = process.lines.filter { $0.verdict == "ran" }.compactMap(\.cause)
    #expect(Set(causes) == ["watch", "after"])
    #expect(try verify(folder) == 0)
  }

  @Test func `a daemon that was stopped gives that as the reason of missed slots`() throws {
    let (folder, process) = try TaktProcess.running(
      "jobs:\n  a: {every: 300ms, late_tolerance: 100ms, missed: {policy: skip}, run: 'true'}\n")
    try process.line("a slot") { $0.verdict == "ran" }
    process.signal(SIGSTOP)
    usleep(1_500_000)
    process.signal(SIGCONT)
    let missed = try process.line("slots that passed") {
      $0.verdict == "missed" && ($0.count ?? 1) >= 3
    }
    #expect(missed.reason == "stalled")
    try process.line("the next slot") { $0.verdict == "ran" }
    #expect(try process.stop() == 0)
    #expect(try verify(folder) == 0)
  }

  @Test func `a reload stops watching what is not named any more`() throws {
    let folder = try TemporaryFolder()
    func write(_ path: String) throws {
      try folder.write("jobs:\n  a: {watch: {path: \(path), debounce: 20ms}, run: echo changed}\n")
    }
    try write("first")
    let process = try TaktProcess(["run"], in: folder)
    try process.line("the start") { $0.message?.hasPrefix("started") == true }
    try folder.write("x", to: "first")
    try process.line("a change") { $0.line == "changed" }
    try write("second")
    process.signal(SIGHUP)
    try process.line("the reload") { $0.message == "reloaded" }
    let before = process.lines.count { $0.verdict == "ran" }
    try folder.write("y", to: "first")
    try folder.write("y", to: "second")
    try process.line("the other change") { $0.line == "changed" }
    #expect(try process.stop() == 0)
    #expect(process.lines.count { $0.verdict == "ran" } == before + 1)
  }
}
