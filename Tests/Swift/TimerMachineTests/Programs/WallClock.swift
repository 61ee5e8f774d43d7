import Foundation
import Testing
import TimerMachine
import TimerMachineTesting

/// An alarm at a date, which follows the clock when somebody sets it.
private func alarm(
  at date: Date, factory: any TimerFactory = CoalescingTimerFactory.shared,
  ring: @escaping @Sendable () -> Void
) throws -> SafeTimer {
  let timer = SafeTimer(name: "alarm", factory: factory)
  let instant = WallInstant(secondsSince1970: date.timeIntervalSince1970)
  timer.activate(try .once(atWall: instant), handler: ring)
  return timer
}

struct WallClockTests {
  private let time = ManualTimerFactory()
  private let notes = Notes()

  private var now: Date { Date(timeIntervalSince1970: time.clock.wall.secondsSince1970) }

  @Test func `an alarm waits for its date when the clock is set back`() throws {
    let timer = try alarm(at: now.addingTimeInterval(3_600), factory: time) { [notes] in
      notes.note("rang")
    }
    time.advance(by: .seconds(1_800))
    time.setWall(WallInstant(secondsSince1970: now.timeIntervalSince1970 - 7_200))
    time.advance(by: .seconds(1_800))
    #expect(notes.all.isEmpty && timer.state == .running)
    time.advance(by: .seconds(7_200))
    #expect(notes.all == ["rang"])
  }

  @Test func `an alarm rings at once when its date was skipped or slept through`() throws {
    let first = try alarm(at: now.addingTimeInterval(3_600), factory: time) { [notes] in
      notes.note("set")
    }
    time.setWall(WallInstant(secondsSince1970: now.timeIntervalSince1970 + 7_200))
    time.advance(by: .zero)
    let second = try alarm(at: now.addingTimeInterval(3_600), factory: time) { [notes] in
      notes.note("slept")
    }
    time.clock.sleep(for: .seconds(3_600))
    time.advance(by: .zero)
    #expect(notes.all == ["set", "slept"])
    #expect((first.state, second.state) == (.cancelled, .cancelled))
  }
}
