import Foundation
import Dispatch
import Synchronization
import TaktCore
import Testing

@testable import TaktEngine

/// The contract of every built-in.
@Suite struct BuiltinRunnerTests {
  /// Works until it is released, or stopped; or hangs in any case.
  private final class Gate: LongBuiltin {
    let name = "gate"
    let summary = "waits"
    let parameters = [
      ParameterSchema(
        "hangs", .boolean, reaches: .nothing, default: .boolean(false), summary: "hears no stop")
    ]
    let reasons: [BuiltinReason] = []
    let open = DispatchSemaphore(value: 0)
    let working = Mutex((now: 0, most: 0))

    func traits(with parameters: Parameters) -> ActionTraits { [] }

    func run(_ call: BuiltinCall) -> BuiltinEnd {
      working.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      call.log("begun")
      defer { working.withLock { $0.now -= 1 } }
      if call.flag("hangs") {
        open.wait()
      } else {
        call.cancellation.whileWatched(by: { [open] in open.signal() }) { open.wait() }
        if call.cancellation.isCancelled { return .failed("cancelled") }
      }
      call.log("over")
      return .done
    }
  }

  private let gate = Gate()
  private let bench: BuiltinBench

  init() throws { bench = try BuiltinBench(BuiltinRegistry([gate, LogBuiltin()])) }

  private func wait(until isTrue: () -> Bool) async throws {
    while !isTrue() { try await Task.sleep(for: .milliseconds(2)) }
  }

  @Test func `ten thousand logs of one wake are one hop and one report`() async {
    let requests = (1...10_000).map { bench.request("log", ["message": "still here"], run: $0) }
    bench.router.start(requests)
    let ends = await bench.ends(10_000)
    #expect(ends.allSatisfy { $0.report.result == .done })
    #expect(ends.map(\.run.number) == Array(1...10_000))
    #expect(bench.reported.all == [10_000])
    #expect(bench.lines.texts.count == 10_000)
  }

  @Test func `a log has the facts of its run in it, and what it said is kept`() async {
    let text = "{{job}} {{run}} {{slot}} {{attempt}} {{{{x {{secret.A}} {{reason}}|"
    bench.router.start([bench.request("log", ["message": .string(text)])])
    let report = await bench.ends(1)[0].report
    let line = "job 1 2026-09-21T14:13:20.123Z 1 {{x {{secret.A}} |"
    // An unreadable text is not changed.
    #expect([[line], [text]].contains(bench.lines.texts))
    #expect(report.output.stdoutBytes == bench.lines.texts[0].utf8.count + 1)
    #expect(report.output.kept.head == Array((bench.lines.texts[0] + "\n").utf8))
  }

  @Test func `a full pool lets others wait, and neither logs nor other classes`() async throws {
    let width = BuiltinRunner.poolWidth
    bench.router.start((1...UInt64(width + 3)).map { bench.request("gate", [:], run: $0) })
    try await wait { gate.working.withLock(\.now) == width }
    bench.router.start([
      bench.request("log", ["message": "through"], run: 100),
      bench.request("gate", [:], run: 101) { $0.execution.qos = .background },
    ])
    #expect(await bench.ends(1)[0].run == RunID(100))
    try await wait { gate.working.withLock(\.now) == width + 1 }
    for _ in 0..<(width + 4) { gate.open.signal() }
    let ends = await bench.ends(width + 4)
    #expect(ends.allSatisfy { $0.report.result == .done })
    #expect(Set(ends.map(\.run)).count == width + 4)
    #expect(gate.working.withLock(\.most) == width + 1)
  }

  @Test func `what waits for a thread is stopped without one`() async throws {
    let width = BuiltinRunner.poolWidth
    bench.router.start((1...UInt64(width + 1)).map { bench.request("gate", [:], run: $0) })
    try await wait { gate.working.withLock(\.now) == width }
    bench.router.stop(RunID(UInt64(width) + 1), signal: .terminate)
    let end = await bench.ends(1)[0]
    #expect(end.run == RunID(UInt64(width) + 1))
    #expect(end.report == AttemptReport(.failed("cancelled")))
    for _ in 0..<width { gate.open.signal() }
    #expect(await bench.ends(width).count == width)
  }

  @Test func `a stop is heard, and there is one end`() async throws {
    bench.router.start([bench.request("gate", [:])])
    try await wait { gate.working.withLock(\.now) == 1 }
    for _ in 0..<5 { bench.router.stop(RunID(1), signal: .terminate) }
    #expect(await bench.ends(1)[0].report.result == .failed("cancelled"))
    bench.router.stop(RunID(1), signal: .kill)
    bench.router.start([bench.request("log", ["message": "after"], run: 2)])
    #expect(await bench.ends(1)[0].run == RunID(2))
  }

  @Test func `what hangs is given up by KILL, takes no place, and its late end counts nothing`()
    async throws
  {
    let width = UInt64(BuiltinRunner.poolWidth)
    let hanging = (1...width).map { bench.request("gate", ["hangs": .boolean(true)], run: $0) }
    bench.router.start(hanging)
    try await wait { gate.working.withLock(\.now) == Int(width) }
    for run in 1...width { bench.router.stop(RunID(run), signal: .terminate) }
    for run in 1...width { bench.router.stop(RunID(run), signal: .kill) }
    let ends = await bench.ends(Int(width))
    #expect(ends.allSatisfy { $0.report.result == .failed("cancelled") })
    #expect(ends.allSatisfy { $0.report.output.kept.head == Array("begun\n".utf8) })

    bench.router.start([bench.request("gate", [:], run: 50)])
    try await wait { gate.working.withLock(\.now) == Int(width) + 1 }
    for _ in 0...width { gate.open.signal() }
    #expect(await bench.ends(1)[0].run == RunID(50))
    try await wait { gate.working.withLock(\.now) == 0 }
    bench.router.start([bench.request("log", ["message": "last"], run: 51)])
    #expect(await bench.ends(1)[0].run == RunID(51))
    #expect(bench.lines.texts.filter { $0 == "over" }.count == 1)
  }

  @Test func `stops and ends that cross give one end each, over many runs`() async {
    let count = UInt64(400)
    for run in 1...count {
      bench.router.start([bench.request("gate", [:], run: run)])
      gate.open.signal()
      bench.router.stop(RunID(run), signal: run.isMultiple(of: 2) ? .terminate : .kill)
    }
    // A stop that found a gate open has left a token behind; those that wait need none.
    for _ in 0..<count { gate.open.signal() }
    let ends = await bench.ends(Int(count))
    #expect(Set(ends.map(\.run)).count == Int(count))
    bench.router.start([bench.request("log", ["message": "last"], run: 9999)])
    #expect(await bench.ends(1)[0].run == RunID(9999))
  }

  @Test func `what is said goes where the job's output goes`() async {
    gate.open.signal()
    bench.router.start([
      bench.request("gate", [:]) { $0.execution.output.logging = .never }
    ])
    let report = await bench.ends(1)[0].report
    #expect(bench.lines.texts.isEmpty)
    #expect(report.output.kept.head == Array("begun\nover\n".utf8))
  }

  @Test func `an action that is no built-in is not started`() async {
    bench.router.start([bench.request("nothing", [:])])
    #expect(await bench.ends(1)[0].report.result == .notStarted(.exec, errno: ENOENT))
  }
}
