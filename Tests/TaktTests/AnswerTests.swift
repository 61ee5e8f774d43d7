import Testing

@testable import takt

/// What commands make of answers, whoever gives them.
@Suite struct AnswerTests {
  @Test(arguments: [1e300, -1e300, .infinity, -.infinity, .nan, 1e18, -0.0] as [Double])
  func `no length of time in an answer traps`(milliseconds: Double) {
    let duration = Duration(answered: milliseconds)
    #expect(abs(duration / .seconds(1)) <= 1e12)
  }

  @Test func `a length of time is the one that was answered`() {
    #expect(Duration(answered: 1500.25) == .microseconds(1_500_250))
  }
}
