import TaktCore
import Testing

@testable import TaktEngine
import TaktTime

/// Facts for hooks, in built-ins and in the environment of commands.
@Suite struct RunReportTests {
  private func request(_ facts: RunFacts) throws -> AttemptRequest {
    let spec = JobSpec(
      name: try #require(JobName("job")),
      timing: Timing(schedule: Schedule(every: Every(.seconds(1)))), action: .shell("x"))
    return AttemptRequest(
      run: RunID(9), attempt: 1, spec: spec, slot: WallInstant(milliseconds: 0), facts: facts)
  }

  private func output(_ kept: KeptOutput) throws -> String {
    var facts = BuiltinBench.facts()
    facts.output = kept
    return RunReport(facts, of: try request(facts)).facts.output
  }

  @Test func `the end of the output is cut between characters`() throws {
    for padding in 0..<4 {
      let text = String(repeating: "€", count: 3000) + String(repeating: "x", count: padding)
      let shown = try output(KeptOutput(head: Array(text.utf8)))
      #expect(text.hasSuffix(shown))
      #expect(shown.utf8.count <= 4096 && shown.utf8.count > 4092)
    }
  }

  @Test func `what was dropped is not told, nor half a character beside it`() throws {
    let tail = Array("€uro".utf8.dropFirst())
    #expect(try output(KeptOutput(head: [1, 2], tail: tail, droppedBytes: 7)) == "uro")
  }

  @Test func `bytes that are no text stay within the bound`() throws {
    for byte in [UInt8(0xFF), 0x80] {
      let shown = try output(KeptOutput(head: [UInt8](repeating: byte, count: 10_000)))
      #expect((4000...4096).contains(shown.utf8.count))
    }
  }

  @Test func `a command and a built-in get the same text`() throws {
    let kept = KeptOutput(head: Array(String(repeating: "ä€😀", count: 2000).utf8))
    #expect(try output(kept) == Command.text(of: kept))
  }

  @Test func `a text has the fencing number of a claimed run in it, and nothing without a claim`()
    throws
  {
    var request = try request(BuiltinBench.facts())
    let text = Parameters(dictionaryLiteral: ("m", "<{{fence}}>"))
    #expect(ParameterExpansion(request).expanded(text) == ["m": "<>"])
    request.fence = ClaimToken(5)
    #expect(ParameterExpansion(request).expanded(text) == ["m": "<5>"])
  }

  @Test func `a hook's attempt is that of the run, and a run that continues has no outcome`() throws
  {
    var facts = BuiltinBench.facts()
    let text = Parameters(dictionaryLiteral: ("m", "{{attempt}}<{{outcome}}><{{reason}}>"))
    #expect(ParameterExpansion(try request(facts)).expanded(text) == ["m": "3<failed><exit(1)>"])
    facts.end = nil
    #expect(ParameterExpansion(try request(facts)).expanded(text) == ["m": "3<><>"])
  }
}
