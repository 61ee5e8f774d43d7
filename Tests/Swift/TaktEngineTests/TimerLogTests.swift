import Dispatch
import Synchronization
import TaktCore
import TaktTime
import Testing
import TimerMachine
import TimerMachineTesting

@testable import TaktEngine

@Suite struct TimerLogTests {
  private final class Seen: Observer {
    let records = Mutex<[LogRecord]>([])
    let least: LogLevel

    init(least: LogLevel) { self.least = least }

    func observe(_ new: [LogRecord]) { records.withLock { $0 += new } }
    func wants(_ level: LogLevel, routine isRoutine: Bool) -> Bool { level >= least }

    var lines: [String] {
      records.withLock { records in
        records.map { record in
          var bytes: [UInt8] = []
          JSONRenderer().render(record, into: &bytes)
          return String(decoding: bytes, as: UTF8.self)
        }
      }
    }
  }

  private let factory = ManualTimerFactory()

  private func timer(_ seen: Seen) -> SafeTimer {
    SafeTimer(
      name: "watch-timer:inbox", factory: factory, queue: DispatchQueue(label: "unused"),
      observer: OtherTimerLog(observer: seen)
    ) { _ in }
  }

  @Test func `a timer of no job is logged by its name, with the instant that it is armed for`() {
    let seen = Seen(least: .debug)
    _ = timer(seen).activate(.once(afterClamping: .milliseconds(1_500)))
    #expect(
      seen.lines.first?.contains(
        #""level":"debug","event":"timer","machine":"watch-timer:inbox","seq":1,"from":"idle","#
          + #""to":"running","cause":"activate","due":"2026-01-01T00:00:01.500Z""#) == true,
      "\(seen.lines)")
  }

  @Test func `an operation that is refused is a warning, the others are made only where read`() {
    let seen = Seen(least: .info)
    let timer = timer(seen)
    timer.resume()
    _ = timer.activate(.once(afterClamping: .seconds(1)))
    #expect(seen.lines.count == 1)
    #expect(
      seen.lines[0].contains(#""level":"warning""#)
        && seen.lines[0].contains(#""cause":"resume","reason":"refused""#), "\(seen.lines)")
  }

  @Test func `a job's timer is due at the slot's own millisecond, whenever the clocks were read`()
    throws
  {
    let name = try #require(JobName("backup"))
    let seen = Seen(least: .debug)
    let board = TimerBoard(
      queue: DispatchQueue(label: "unused"), factory: factory, observer: seen
    ) { _ in }
    let due = factory.time.wall + .seconds(60)
    board.arm(
      .job(JobID(index: 0)),
      // As computed by a caller that read the two clocks a moment apart.
      at: factory.time.monotonic + .seconds(60) - .nanoseconds(200), due: due, leeway: .zero,
      token: 1
    ) { .job(name) }
    #expect(seen.lines[0].contains(#""due":"2026-01-01T00:01:00.000Z""#), "\(seen.lines)")
  }
}
