import Testing

@testable import TaktControl
import TaktTime

/// Requests without a token get a bounded number of turns, and connections the descriptors that
/// runs leave.
@Suite struct RequestPaceTests {
  private let begin = MonotonicInstant(nanoseconds: 1_000_000_000)

  @Test func `a flood gets its turns one by one, and is refused where it would wait too long`() {
    let pace = RequestPace(perSecond: 10, burst: 3, waitMax: .milliseconds(500))
    let delays = (0..<12).map { _ in pace.turn(at: begin)?.milliseconds }
    #expect(delays == [0, 0, 0, 100, 200, 300, 400, 500, nil, nil, nil, nil])
    // A refused request takes no other request's turn.
    #expect(pace.turn(at: begin + .milliseconds(100))?.milliseconds == 500)
  }

  @Test func `who asks now and then never waits`() {
    let pace = RequestPace(perSecond: 10, burst: 3, waitMax: .milliseconds(500))
    for second in 0..<100 {
      #expect(pace.turn(at: begin + .seconds(second)) == .zero)
      #expect(pace.turn(at: begin + .seconds(second)) == .zero)
    }
  }

  @Test(arguments: [
    "65536 512", "1600 512", "1000 333", "100 33", "12 4", "9 4", "0 4", "-80 4",
  ])
  func `each listener takes a third of what the runs leave, within its bounds`(row: String) throws {
    let numbers = row.split(separator: " ").compactMap { Int($0) }
    #expect(ConnectionBudget(descriptors: numbers[0]).perListener == numbers[1])
    let budget = ConnectionBudget(descriptors: 0)
    budget.set(descriptors: numbers[0])
    #expect(budget.perListener == numbers[1])
  }
}
