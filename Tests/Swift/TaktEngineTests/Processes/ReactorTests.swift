import Glibc
import Testing

@testable import TaktEngine

@Suite struct ReactorTests {
  /// A child holds each descriptor until it executes its program, which may hang.
  @Test func `what has been closed keeps nobody busy while another process holds it`() async throws
  {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let held = dup(ends[0])
    defer { close(held) }
    let (reading, writing) = (ends[0], ends[1])
    let reactor = try Reactor()
    let turns = await withCheckedContinuation { answer in
      reactor.perform { loop in
        loop.watch(reading) { loop in
          loop.unwatch(reading)
          close(reading)
          let begin = loop.turns
          loop.after(.milliseconds(50)) { answer.resume(returning: $0.turns - begin) }
        }
        close(writing)
      }
    }
    #expect(turns < 10)
  }
}
