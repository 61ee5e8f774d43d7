import Dispatch
import TaktSystem
import Testing

@Suite struct PatienceTests {
  /// A call that does not end before it is let go.
  private final class Gate: Sendable {
    private let open = DispatchSemaphore(value: 0)
    private let passed = DispatchSemaphore(value: 0)

    func wait() { open.wait() }
    func letGo() { open.signal() }
    func notePassed() { passed.signal() }
    func waitUntilPassed() { passed.wait() }
  }

  @Test func `a call that ends in time has its value`() throws {
    let patience = Patience(thread: "test", stuckMax: 1, atPlace: 1)
    #expect(try patience.value(within: .seconds(60)) { 42 } == 42)
  }

  @Test func `no call is made where one is stuck, until that one has ended`() throws {
    let patience = Patience(thread: "test", stuckMax: 2, atPlace: 1)
    let gate = Gate()
    let call: PatientCall<Int> = try patience.begin(
      at: "a", onLateEnd: { _ in gate.notePassed() },
      {
        gate.wait()
        return 1
      })
    #expect(call.value(within: .zero) == nil)
    let count = StuckThreads.count
    #expect(count >= 1)
    #expect(throws: NoAnswer.stuck) { try patience.value(at: "a", within: .seconds(60)) { 2 } }
    #expect(try patience.value(at: "b", within: .seconds(60)) { 3 } == 3)
    gate.letGo()
    gate.waitUntilPassed()
    #expect(try patience.value(at: "a", within: .seconds(60)) { 4 } == 4)
  }

  @Test func `so many calls may be stuck in all, wherever they are`() throws {
    let patience = Patience(thread: "test", stuckMax: 2, atPlace: 1)
    let gate = Gate()
    for place in ["a", "b"] {
      #expect(throws: NoAnswer.late) {
        try patience.value(at: place, within: .zero) { gate.wait() }
      }
    }
    #expect(throws: NoAnswer.stuck) { try patience.value(at: "c", within: .seconds(60)) {} }
    gate.letGo()
    gate.letGo()
  }

  @Test func `a wait can be ended from elsewhere`() throws {
    let patience = Patience(thread: "test", stuckMax: 1, atPlace: 1)
    let gate = Gate()
    let call: PatientCall<Void> = try patience.begin { gate.wait() }
    call.stopWaiting()
    #expect(call.value(within: .seconds(60)) == nil)
    gate.letGo()
  }
}
