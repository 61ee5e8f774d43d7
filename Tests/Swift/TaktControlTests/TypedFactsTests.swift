import Testing

import TaktAPI

@testable import TaktControl
@testable import TaktCore
import TaktTime

/// Facts about runs and plugins that the control gets besides the lines of the log.
@Suite struct TypedFactsTests {
  private let now = Now(
    wall: WallInstant(milliseconds: 5_000), monotonic: MonotonicInstant(nanoseconds: 0))

  private func head(_ run: UInt64, _ kind: RunHead.Kind = .slot) throws -> RunHead {
    RunHead(run: RunID(run), job: try #require(JobName("a")), slot: now.wall, kind: kind)
  }

  private func record(_ event: LogEvent, _ fact: LogFact?) -> LogRecord {
    LogRecord(at: now.wall, .info, event, [LogField(.percent, .number(99))], fact: fact)
  }

  @Test func `the progress of a run is known until it ends`() throws {
    var state = ControlState()
    let head = try head(1)
    func report(_ percent: Int64?, _ message: String?, of run: RunID) {
      state.apply([
        record(.progress, .progress(run, percent: percent, message: message)),
        record(.progress, nil),
      ])
    }
    report(1, nil, of: head.run)
    #expect(state.progress.isEmpty)
    state.apply([.began(RunBeginning(head, attempt: 1, at: now.wall))], at: now)
    report(10, "half", of: head.run)
    report(nil, "more", of: head.run)
    report(50, nil, of: RunID(2))
    #expect(state.progress.count == 1)
    #expect(state.progress[head.run]?.percent == 10)
    #expect(state.progress[head.run]?.message == "more")
    state.apply(
      [
        .ended(
          RunRecord(
            head, attempts: 1, end: RunEnd(.succeeded, .done), endedAt: now.wall, duration: .zero))
      ], at: now)
    #expect(state.progress.isEmpty)
  }

  @Test func `restarts of service plugins are counted, whatever their lines say`() {
    var state = ControlState()
    for _ in 0..<2 { state.apply([record(.plugin, .serviceRestart(plugin: "disk"))]) }
    state.apply([record(.plugin, nil)])
    #expect(state.metrics.pluginRestarts == ["disk": 2])
  }

  @Test func `a run that a previous daemon left is shown as the ledger has it`() throws {
    var state = ControlState()
    state.apply(
      [
        .ended(
          RunRecord(
            try head(7, .slot), attempts: 2, end: RunEnd(.interrupted, .down), endedAt: now.wall,
            duration: .zero))
      ], at: now)
    #expect(state.run(RunID(7)) == nil)
  }

  @Test func `a run by hand that never starts is still one by hand when it has ended`() throws {
    var state = ControlState()
    let end = RunEnd(.cancelled, .byOperator)
    state.apply(
      [
        .ended(
          RunRecord(
            try head(7, .manual), attempts: 0, end: end, endedAt: now.wall, duration: .zero))
      ], at: now)
    let run = try #require(state.run(RunID(7)))
    #expect(run == StoredRun(try head(7, .manual), endedAt: now.wall, end: end))
    #expect(
      String(decoding: API.Run(RunEntry(run)).json, as: UTF8.self)
        == #"{"run":7,"job":"a","slot":"1970-01-01T00:00:05.000Z","kind":"manual","state":"ended","#
        + #""ended":"1970-01-01T00:00:05.000Z","attempts":0,"outcome":"cancelled","#
        + #""reason":"operator"}"#)
  }
}
