import Foundation
import TaktCore
import Testing
import TimerMachineTesting

@testable import TaktEngine
import TaktTime
import Synchronization

@Suite struct AttemptOutputTests {
  private let sink = RecordingSink()
  private let clock: ManualClock
  private let files: OutputFiles

  init() {
    clock = ManualClock()
    files = OutputFiles(sink: sink, time: clock)
  }

  private func output(
    _ policy: OutputPolicy = OutputPolicy(), success: SuccessRule = SuccessRule(),
    secrets: [String] = []
  ) throws -> AttemptOutput {
    var spec = JobSpec(
      name: try #require(JobName("job")),
      timing: Timing(schedule: Schedule(every: Every(.seconds(1)))), action: .shell("x"))
    spec.execution = Execution(output: policy, success: success)
    return AttemptOutput(
      of: AttemptRequest(run: RunID(1), attempt: 1, spec: spec, slot: WallInstant(milliseconds: 0))
        .output,
      secrets: secrets.map { Array($0.utf8) }, to: sink,
      files: files, time: clock)
  }

  private func receive(_ text: String, _ output: AttemptOutput, _ stream: StandardStream = .stdout)
  {
    Array(text.utf8).withUnsafeBytes { output.receive($0, from: stream) }
  }

  @discardableResult
  private func end(_ output: AttemptOutput, _ result: AttemptResult = .exited(0)) -> OutputFacts {
    for stream in StandardStream.allCases { output.end(stream) }
    let report = output.complete(AttemptReport(result))
    output.close()
    return report.output
  }

  @Test func `the report says how much was printed and what is kept, in order of arrival`() throws {
    let output = try output()
    receive("one\n", output)
    receive("two\n", output, .stderr)
    receive("three", output)
    let facts = end(output)
    #expect(facts.stdoutBytes == 9)
    #expect(facts.stderrBytes == 4)
    #expect(facts.kept == KeptOutput(head: Array("one\ntwo\nthree".utf8)))
    #expect(sink.all == ["one", "two", "three"])
  }

  @Test(arguments: OutputPolicy.Logging.allCases)
  func `output of an attempt that failed is logged as the job says`(
    logging: OutputPolicy.Logging
  ) throws {
    let output = try output(OutputPolicy(logging: logging))
    receive("one\ntwo", output)
    let before = sink.all
    end(output, .exited(1))
    #expect(before == (logging == .always ? ["one"] : []))
    #expect(sink.all == (logging == .never ? [] : ["one", "two"]))
  }

  @Test func `on_failure says nothing of a success and what is missing of a failure`() throws {
    let good = try output(OutputPolicy(keepBytes: 8, logging: .onFailure))
    receive("0123456789", good)
    end(good)
    #expect(sink.all == [])
    let bad = try output(OutputPolicy(keepBytes: 8, logging: .onFailure))
    receive("a\nb\n56789\nx\n", bad)
    end(bad, .exited(1))
    #expect(sink.all == ["a", "b", "<warning: 4 bytes of output were not kept>", "9", "x"])
    #expect(sink.records.withLock { $0[0].contains(LogField(.dropped, .number(4))) })
  }

  @Test func `on_failure goes by the job's own rule, and an attempt that was stopped has failed`()
    throws
  {
    let allowed = try output(
      OutputPolicy(logging: .onFailure), success: SuccessRule(exitStatuses: [0, 1]))
    receive("allowed\n", allowed)
    end(allowed, .exited(1))
    #expect(sink.all == [])
    let noisy = try output(
      OutputPolicy(logging: .onFailure), success: SuccessRule(failsOnStandardError: true))
    receive("noisy\n", noisy, .stderr)
    end(noisy)
    let stopped = try output(OutputPolicy(logging: .onFailure))
    receive("stopped\n", stopped)
    stopped.stopped()
    end(stopped)
    #expect(sink.all == ["noisy", "stopped"])
  }

  @Test func `lines beyond the rate are counted and told of`() throws {
    let output = try output(OutputPolicy(rate: LineRate(2, per: .seconds(1))))
    receive("1\n2\n3\n4\n", output)
    receive("5\n", output, .stderr)
    #expect(sink.all == ["1", "2"])
    clock.pass(to: clock.monotonic + .seconds(1))
    receive("6\n7\n8\n9", output)
    end(output)
    #expect(
      sink.all == [
        "1", "2", "<warning: 3 lines of output not logged; they exceed output.rate>", "6", "7",
        "<warning: 2 lines of output not logged; they exceed output.rate>",
      ])
  }

  @Test(arguments: [
    "ERROR | all fine | false", "ERROR | an ERROR here | true", "^b | a¶b | true",
    "a.b | a¶b | false", "b$ | ab¶c | true", "end$ | the end | true", "^$ | a¶¶b | true",
    "x{3} | xx | false", "[[:digit:]]+ms | took 15ms | true",
  ])
  func `a line of standard output that matches the pattern is found`(row: String) throws {
    let parts = row.split(separator: " | ").map {
      $0.replacingOccurrences(of: "¶", with: "\n")
    }
    let text = parts[1]
    for pieces in [[text], text.map { String($0) }] {
      let output = try output(success: SuccessRule(failurePattern: parts[0]))
      for piece in pieces { receive(piece, output) }
      receive("ERROR b end ¶ xxx 1ms\n\n", output, .stderr)
      #expect(end(output).matchesFailurePattern == (parts[2] == "true"))
    }
  }

  @Test func `a match stands behind NUL and bytes that are no text too`() throws {
    let output = try output(success: SuccessRule(failurePattern: "ERR"))
    [UInt8]([0, 0xFF, 0xC3, 0x45, 0x52, 0x52]).withUnsafeBytes { output.receive($0, from: .stdout) }
    #expect(end(output).matchesFailurePattern)
  }

  @Test(arguments: [
    "[a-z]+@[a-z]+", "([a-z]+ )*[a-z]+!", ".*(foo|bar).*(foo|bar).*x", "a.*b.*c.*d",
  ])
  func `a very long line is searched once, not from each of its bytes`(pattern: String) throws {
    let compiled = try #require(FailurePattern(pattern))
    // A search from each byte would take days.
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: 8 << 20)
    let isMatch = line.withUnsafeBytes { compiled.matches($0) }
    #expect(!isMatch)
  }

  @Test(arguments: [
    "a)*b | a)b | true", "a)*b | ab | true", "(a)*)b | )b | true", "x|^y+ | by | false",
    "x|^y+ | y | true", "e+$ | bee | true", "e+$ | beep | false", "[)]+x|y | y | true",
    "[^])]*z | ]z | true", "[[:digit:])]+! | 4)! | true", "\\(a* | b(c | true",
    "a{2,} | ba | false", "(a|b)+\\b | cab- | true",
  ])
  func `a pattern with repetitions means what it says`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let pattern = try #require(FailurePattern(parts[0]))
    let isMatch = Array(parts[1].utf8).withUnsafeBytes { pattern.matches($0) }
    #expect(isMatch == (parts[2] == "true"))
  }

  @Test(arguments: ["(unclosed", "(un\u{0}"])
  func `a pattern that cannot be used is said and matches nothing`(pattern: String) throws {
    let output = try output(success: SuccessRule(failurePattern: pattern))
    receive("(unclosed\n", output)
    #expect(!end(output).matchesFailurePattern)
    #expect(sink.all.count == 2)
    #expect(sink.all[0].hasPrefix("<warning: fails_when.stdout"))
  }

  @Test func `a secret is in no sink, and the pattern sees it all the same`() throws {
    let path = NSTemporaryDirectory() + "takt-secret-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let output = try output(
      OutputPolicy(file: OutputFile(path: path)),
      success: SuccessRule(failurePattern: "hunter2"), secrets: ["hunter2"])
    receive("say hun", output)
    receive("ter2 hunt", output)
    let facts = end(output)
    #expect(facts.matchesFailurePattern)
    #expect(facts.stdoutBytes == 16)
    #expect(facts.kept == KeptOutput(head: Array("say *** hunt".utf8)))
    #expect(sink.all == ["say *** hunt"])
    files.close(timeout: .seconds(60))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "say *** hunt")
  }

  @Test func `a raw line is logged as it was printed`() throws {
    var policy = OutputPolicy()
    policy.format = .raw
    let output = try output(policy, secrets: ["hunter2"])
    let json = "{\"msg\":\"\u{1b}[1mx\u{1b}[0m\",\"n\":1}"
    let long = String(repeating: "x", count: 20_000)
    receive("\(json)\r\n10%\r20%\n\(long)", output)
    receive("\nhunter2\n\n", output)
    receive("last", output, .stderr)
    end(output)
    #expect(sink.all == ["\(json)\r", "10%\r20%", long, "***", "", "last"])
  }

  @Test func `colours are in no sink where the job wants none`() throws {
    var policy = OutputPolicy()
    policy.colours = .stripAll
    let text = "a\u{1b}[31mhun\u{1b}[1mter2\u{1b}[0m\u{1b}]0;title\u{7}é\nend\u{1b}[3"
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      let output = try output(policy, secrets: ["hunter2"])
      for part in [bytes[..<cut], bytes[cut...]] {
        Array(part).withUnsafeBytes { output.receive($0, from: .stdout) }
      }
      let facts = end(output)
      #expect(facts.stdoutBytes == bytes.count)
      #expect(facts.kept == KeptOutput(head: Array("a***é\nend".utf8)), "cut at \(cut)")
    }
    #expect(Set(sink.all) == ["a***é", "end"])
  }
}
