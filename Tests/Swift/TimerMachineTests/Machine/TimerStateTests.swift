import Testing
import TimerMachine

/// The table once more, in the test's own words: a row a state, a column an event.
private let table = """
            activate   suspend    resume     reschedule fire       fireNow    cancel     release
  idle      running    -          -          -          -          -          -          idle
  running   -          suspended  -          running    running    running    cancelled  cancelled
  suspended -          -          running    suspended  -          suspended  cancelled  cancelled
  cancelled running    -          -          -          -          -          -          cancelled
  """

struct TimerStateTests {
  private static let rows = table.split(separator: "\n").map {
    $0.split(separator: " ").map(String.init)
  }

  @Test(arguments: TimerState.allCases, TimerEvent.allCases)
  func `every state answers every event as the table says`(
    state: TimerState, event: TimerEvent
  ) throws {
    let column = try #require(Self.rows[0].firstIndex(of: event.rawValue))
    let row = try #require(Self.rows.first { $0[0] == state.rawValue })
    switch state.transition(on: event) {
    case .refused: #expect(row[column + 1] == "-")
    case .moved(let to, _): #expect(row[column + 1] == to.rawValue)
    }
  }

  @Test(arguments: TimerState.allCases, TimerEvent.allCases)
  func `the last fire ends a machine and matters to nothing else`(
    state: TimerState, event: TimerEvent
  ) {
    let decision = state.transition(on: event, last: true)
    switch (state, event) {
    case (.running, .fire): #expect(decision == .moved(to: .cancelled, .deliver))
    case (.suspended, .resume): #expect(decision == .moved(to: .cancelled, .newGeneration))
    default: #expect(decision == state.transition(on: event))
    }
  }

  @Test(arguments: TimerState.allCases, TimerEvent.allCases)
  func `the effects fit the states that they lead to`(state: TimerState, event: TimerEvent) {
    guard case .moved(let to, let effects) = state.transition(on: event) else { return }
    #expect(!effects.contains(.arm) || to == .running)
    #expect(!effects.contains(.disarm) || state == .running)
    #expect(effects.contains(.deliver) == (event == .fire || event == .fireNow))
    #expect(effects.contains(.disarm) == (state == .running && to != .running))
    let isOperation: Set<TimerEvent> = [.activate, .suspend, .resume, .reschedule, .cancel]
    #expect(!isOperation.contains(event) || effects.contains(.newGeneration))
  }
}
