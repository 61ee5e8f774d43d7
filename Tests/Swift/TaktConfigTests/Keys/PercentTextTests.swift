import Testing

@testable import TaktConfig

struct PercentTextTests {
  @Test(
    arguments: [
      ("10%", 10), ("0.5%", 0.5), ("100%", 100), ("007%", 7), ("%", nil), ("10", nil), (".5%", nil),
      ("5.%", nil), ("-1%", nil), ("1e1%", nil), ("1 %", nil), ("inf%", nil), ("1.2.3%", nil),
    ] as [(String, Double?)])
  func `a share is digits and a sign`(text: String, value: Double?) {
    #expect(PercentText.parse(text) == value)
  }
}
