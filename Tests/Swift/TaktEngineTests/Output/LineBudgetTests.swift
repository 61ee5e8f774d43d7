import TaktCore
import Testing

@testable import TaktEngine
import TaktTime

@Suite struct LineBudgetTests {
  private func at(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `so many lines pass at once, and as many again in a period`() {
    var budget = LineBudget(LineRate(3, per: .seconds(3)))
    let moments: [Int64] = [500, 500, 500, 500, 1499, 1500, 1501, 60_000, 60_000, 60_000, 60_000]
    #expect(
      moments.map { budget.spend(at: at($0)) } == [
        true, true, true, false, false, true, false, true, true, true, false,
      ])
  }

  @Test func `refused lines are reported for once in a period and at the end`() {
    var budget = LineBudget(LineRate(1, per: .seconds(1)))
    budget.refuse(2, at: at(10))
    budget.refuse(3, at: at(600))
    #expect([1009, 1010, 1011].map { budget.popRefused(at: at($0)) } == [nil, 5, nil])
    budget.refuse(1, at: at(2000))
    let last = budget.popRefused()
    #expect(last == 1)
  }

  @Test func `a rate of no line lets none pass`() {
    var budget = LineBudget(LineRate(0, per: .seconds(1)))
    #expect([5, 500_000].map { budget.spend(at: at($0)) } == [false, false])
  }
}
