import Dispatch
import Synchronization
import TaktCore
import TaktTime
import Testing
import TimerMachineTesting

@testable import TaktEngine

@Suite struct TimerBoardTests {
  /// Records of timers by the names of their machines, and the timers that have fired.
  private final class Seen: Observer {
    let records = Mutex<[LogRecord]>([])
    let fires = Mutex<[TimerID]>([])

    func observe(_ new: [LogRecord]) { records.withLock { $0 += new } }

    func moves(of machine: String) -> [String] {
      records.withLock { records in
        records.compactMap { record in
          guard case .machine(let id) = record[.machine], id.description == machine else {
            return nil
          }
          guard case .text(let cause) = record[.cause], case .number(let number) = record[.seq]
          else { return "?" }
          return "\(number) \(cause)"
        }
      }
    }
  }

  private let seen = Seen()
  private let factory = ManualTimerFactory()

  private func board() -> TimerBoard {
    TimerBoard(queue: DispatchQueue(label: "test"), factory: factory, observer: seen) {
      [seen] id in seen.fires.withLock { $0.append(id) }
    }
  }

  @Test(arguments: [
    TimerID.job(JobID(index: 0)), .job(JobID(index: .max)), .run(RunID(7)),
    .expected(RunID(1 << 40)), .shutdown,
    .pause(JobID(index: 0)), .pause(JobID(index: .max)),
  ])
  func `a timer is found again by the number of its machine`(id: TimerID) {
    #expect(TimerID(number: id.number) == id)
  }

  @Test func `a timer that is armed again fires once, for the last arming`() throws {
    let board = board()
    let job = TimerKey.job(try #require(JobName("backup")))
    let (start, due) = (factory.time.monotonic, WallInstant(milliseconds: 1_790_000_000_123))
    board.arm(.job(JobID(index: 3)), at: start + .seconds(1), due: due, leeway: .zero, token: 1) {
      job
    }
    board.arm(.job(JobID(index: 3)), at: start + .seconds(2), due: due, leeway: .zero, token: 2) {
      job
    }
    factory.advance(by: .seconds(5))
    #expect(seen.fires.withLock { $0 } == [.job(JobID(index: 3))])
    #expect(board.token(of: .job(JobID(index: 3))) == 2)
    #expect(board.token(of: .job(JobID(index: 2))) == nil)
  }

  @Test func `a timer that was disarmed does not fire, and begins again as another machine`() throws
  {
    let board = board()
    let job = TimerKey.job(try #require(JobName("backup")))
    let (start, due) = (factory.time.monotonic, WallInstant(milliseconds: 1_790_000_000_123))
    board.arm(.job(JobID(index: 0)), at: start + .seconds(1), due: due, leeway: .zero, token: 1) {
      job
    }
    board.disarm(.job(JobID(index: 0)), as: .removed)
    board.disarm(.job(JobID(index: 9)), as: .removed)
    #expect(board.token(of: .job(JobID(index: 0))) == nil)
    board.arm(.job(JobID(index: 0)), at: start + .seconds(2), due: due, leeway: .zero, token: 2) {
      job
    }
    board.arm(.run(RunID(4)), at: start + .seconds(3), due: due, leeway: .zero, token: 3) {
      .run(RunID(4))
    }
    factory.advance(by: .seconds(5))
    #expect(seen.fires.withLock { $0 } == [.job(JobID(index: 0)), .run(RunID(4))])
    #expect(seen.moves(of: "timer:backup") == ["1 activate", "2 cancel", "1 activate", "2 fire"])
    #expect(seen.moves(of: "run-timer:4") == ["1 activate", "2 fire"])
  }

  @Test
  func `a job's machine continues over fires, rests and pauses, and over the end of its slots`()
    throws
  {
    let board = board()
    let (id, job) = (JobID(index: 0), TimerKey.job(try #require(JobName("backup"))))
    let (start, due) = (factory.time.monotonic, WallInstant(milliseconds: 1_790_000_000_123))
    func arm(_ second: Int, _ token: UInt64) {
      board.arm(.job(id), at: start + .seconds(second), due: due, leeway: .zero, token: token) {
        job
      }
    }
    board.hold(id, .suspended) { job }
    arm(1, 1)
    factory.advance(by: .seconds(1))
    arm(2, 2)
    board.hold(id, .suspended) { job }
    factory.advance(by: .seconds(2))
    arm(4, 3)
    factory.advance(by: .seconds(1))
    board.hold(id, .unarmed) { job }
    board.hold(id, .over) { job }
    arm(5, 4)
    board.disarm(.job(id), as: .removed)
    #expect(seen.fires.withLock { $0.count } == 2)
    #expect(
      seen.moves(of: "timer:backup").map { String($0.drop { $0 != " " }.dropFirst()) } == [
        "activate", "suspend", "resume", "reschedule", "fire", "reschedule", "suspend", "resume",
        "reschedule", "fire", "cancel", "activate", "cancel",
      ])
    #expect(
      seen.moves(of: "timer:backup").map { $0.prefix { $0 != " " } }
        == (1...13).map { Substring("\($0)") })
  }
}
