import Testing

@testable import TaktEngine

@Suite struct NagiosOutputTests {
  @Test func `a line of the monitoring world gives a sentence and metrics`() {
    let output = NagiosOutput(
      Array(
        "DISK OK - free 3326 MB | /=2643MB;5948;5958;0;5968 'swap used'=1.5% 'it''s'=-3\nmore".utf8)
    )
    #expect(output.message == "DISK OK - free 3326 MB")
    #expect(
      output.metrics == [
        NagiosOutput.Metric(name: "/", value: 2643, unit: "MB"),
        NagiosOutput.Metric(name: "swap used", value: 1.5, unit: "%"),
        NagiosOutput.Metric(name: "it's", value: -3, unit: nil),
      ])
  }

  @Test(arguments: ["", "|", "x|", "x| =", "x|a", "x|a=", "x|a=U;", "x|'a=1", "x|a=1e999 b=2"])
  func `rubbish is no metric and no trap`(line: String) {
    #expect(NagiosOutput(Array(line.utf8)).metrics.allSatisfy { $0.name == "b" })
  }
}
