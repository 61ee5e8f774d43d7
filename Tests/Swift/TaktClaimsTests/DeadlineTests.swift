import Dispatch
import TaktCore
import TaktTime
import TestSupport
import Testing

@testable import TaktClaims

/// A batch is answered in time, whatever becomes of it.
@Suite struct DeadlineTests {
  @Test func `a server that never answers fails each batch at its deadline, in order`() throws {
    let listener = try Listener()
    let (outcomes, gate) = (Outcomes(), DispatchSemaphore(value: 0))
    let engine = PostgresEngine(
      url: "postgresql://me:secret@127.0.0.1:\(listener.port)/jobs", cluster: "default",
      deadline: .milliseconds(200)
    ) {
      // The test's thread gets on with `send` all the same.
      if $0.number == 1 { gate.wait() }
      outcomes.add($0)
    }
    for number in 1...UInt64(50) {
      engine.send(ClaimBatch(number: number, member: nil, facts: nil))
    }
    gate.signal()
    let all = (1...50).map { _ in outcomes.next() }
    #expect(all.map(\.number) == Array(1...50))
    for case .failed(_, let failure) in all {
      #expect(failure.description.contains("127.0.0.1:\(listener.port) "), "\(failure)")
      #expect(failure.description.contains("did not answer within 200 ms. "))
      #expect(!failure.isPermanent)
    }
    // A further one is not kept waiting by those before.
    engine.send(ClaimBatch(number: 51, member: nil, facts: nil))
    #expect(outcomes.next().number == 51)
    engine.close()
  }

  /// A carrier that hangs, as in the resolution of a name, until the test lets it go.
  private struct HangingCarrier: BatchCarrier {
    let gate: DispatchSemaphore
    let begun: DispatchSemaphore

    mutating func carry(
      _ batch: ClaimBatch, until deadline: ContinuousClock.Instant
    ) -> ClaimOutcome {
      begun.signal()
      gate.wait()
      return .answered(ClaimReply(number: batch.number, member: nil, wall: .init(milliseconds: 0)))
    }

    mutating func close() { begun.signal() }
  }

  private func makeQueue(
    _ outcomes: Outcomes, patience: Duration, gate: DispatchSemaphore, begun: DispatchSemaphore
  ) -> BatchQueue {
    BatchQueue(
      patience: patience, lateness: { ClaimFailure("late") }, onOutcome: { outcomes.add($0) },
      makeCarrier: { HangingCarrier(gate: gate, begun: begun) })
  }

  @Test func `batches fail while the driver's thread hangs, and its late answer is dropped`() {
    let outcomes = Outcomes()
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = makeQueue(outcomes, patience: .milliseconds(100), gate: gate, begun: begun)
    for number in 1...UInt64(3) {
      queue.send(ClaimBatch(number: number, member: nil, facts: nil))
    }
    for number in 1...UInt64(3) {
      #expect(outcomes.next() == .failed(number: number, ClaimFailure("late")))
    }
    // The thread continues: its reply to the first batch comes too late to be an answer.
    begun.wait()
    gate.signal()
    queue.send(ClaimBatch(number: 4, member: nil, facts: nil))
    begun.wait()
    #expect(outcomes.next() == .failed(number: 4, ClaimFailure("late")))
    #expect(outcomes.count == 0)
    gate.signal()
    queue.close()
    begun.wait()
  }

  @Test func `closing answers what waits, and waits for nothing`() {
    let outcomes = Outcomes()
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let queue = makeQueue(outcomes, patience: .seconds(3600), gate: gate, begun: begun)
    for number in 1...UInt64(2) {
      queue.send(ClaimBatch(number: number, member: nil, facts: nil))
    }
    begun.wait()
    queue.close()
    queue.send(ClaimBatch(number: 3, member: nil, facts: nil))
    let closed = ClaimFailure("The connection to the cluster's engine is closed.")
    for number in 1...UInt64(3) {
      #expect(outcomes.next() == .failed(number: number, closed))
    }
    gate.signal()
    begun.wait()
    #expect(outcomes.count == 0)
  }

  @Test func `a batch may take a third of the lease, and five seconds at the most`() {
    #expect(PostgresEngine.deadline(for: .seconds(6)) == .seconds(2))
    #expect(PostgresEngine.deadline(for: .seconds(60)) == .seconds(5))
  }
}
