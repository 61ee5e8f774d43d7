import Foundation
import TaktCore
import TestSupport
import Testing

@testable import TaktEngine
import TaktTime
import TimerMachine

@Suite struct LogTests {
  private let at = WallInstant(milliseconds: 1_790_000_000_123)

  private func record(_ event: LogEvent, _ fields: [LogField], routine: Bool = false) -> LogRecord {
    LogRecord(at: at, .info, event, routine: routine, fields)
  }

  private func render(_ renderer: any LogRenderer, _ record: LogRecord) -> String {
    var bytes: [UInt8] = []
    renderer.render(record, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a JSON line is valid JSON whatever a run prints`() throws {
    let raw = (0...255).map { UInt8($0) } + Array("\u{2028}“x”\\\"".utf8)
    let line = render(JSONRenderer(), record(.output, [LogField(.line, .bytes(raw))]))
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["line"] as? String == String(decoding: raw, as: UTF8.self))
    #expect(object?["ts"] as? String == "2026-09-21T14:13:20.123Z")
    #expect(line.filter { $0 == "\n" }.count == 1)
  }

  @Test func `text is aligned and cannot steer the terminal`() {
    let renderer = TextRenderer(zone: .utc, isColoured: false)
    let line = render(
      renderer,
      record(
        .output,
        [
          LogField(.job, .text("backup")), LogField(.run, .number(7)),
          LogField(.line, .bytes(Array("\u{1b}[2Jgone\u{9b}1m".utf8))),
        ]))
    #expect(line == "14:13:20.123  backup            out 7      \u{fffd}[2Jgone\u{fffd}1m\n")
  }

  private func head(_ kind: RunHead.Kind, hook: HookKind? = nil) throws -> RunHead {
    RunHead(
      run: RunID(12), job: try #require(JobName("backup")), slot: at, kind: kind, hook: hook,
      parent: hook == nil ? nil : RunID(11))
  }

  /// A run's transition as the core logs it.
  private func move(
    _ kind: RunHead.Kind, from: RunState.Kind, to: RunState, _ cause: RunMove.Cause,
    hook: HookKind? = nil, attempt: Int = 1, duration: Duration? = nil, use: ResourceUse? = nil
  ) throws -> LogRecord {
    let head = try head(kind, hook: hook)
    let use = use.map { Shared(RunUse(attempt: $0, run: $0)) }
    var subject = RunMoveRecord.Subject.going(head, use: use)
    if case .ended(let end) = to {
      subject = .ended(
        RunRecord(
          head, attempts: attempt, end: end, endedAt: at, duration: duration ?? .zero,
          totals: RunTotals(use: use)))
    }
    return LogRecord(
      at: at, .info, .run,
      content: .run(
        RunMoveRecord(
          of: subject, sequence: 1, attempt: attempt, from: from, to: to, cause: cause,
          at: MonotonicInstant(nanoseconds: 0))))
  }

  private func ran(late: Duration) throws -> LogRecord {
    LogRecord(
      at: at, .info, .slot,
      content: .slot(
        SlotRecord(
          VerdictRecord(
            job: try #require(JobName("backup")), slots: SlotSeries(at), verdict: .ran, at: at,
            run: RunID(12)), causes: [.every], start: (at, late))))
  }

  @Test func `a run has one line at its start and one at its end`() throws {
    let text = TextRenderer(zone: .utc, isColoured: false)
    let end = RunState.ended(RunEnd(.succeeded, .exit(0)))
    let records = [
      try ran(late: .microseconds(412)),
      try move(.slot, from: .queued, to: .running(attempt: 1), .start),
      try move(
        .slot, from: .running, to: end, .actionEnded, duration: .milliseconds(46_458),
        use: ResourceUse(
          userMicroseconds: 900_000, systemMicroseconds: 400_000, memoryPeakBytes: 47_815_066)),
      try move(.hook, from: .queued, to: .running(attempt: 1), .start, hook: .onSuccess),
      try move(
        .hook, from: .running, to: end, .actionEnded, hook: .onSuccess, duration: .milliseconds(3)),
    ]
    let shown = records.filter { text.shows($0, at: .info) }.map { render(text, $0) }
    #expect(
      shown == [
        "14:13:20.123  backup            run 12     started for slot 14:13:20.123, late 412 µs (every)\n",
        "14:13:20.123  backup            run 12     succeeded, exit(0), took 46.5 s, CPU 1.3 s, 45.6 MB\n",
        "14:13:20.123  backup            run 12     on_success of run 11: succeeded, exit(0), took 3 ms\n",
      ])
    let manual = try move(.manual, from: .queued, to: .running(attempt: 1), .start)
    #expect(text.shows(manual, at: .info))
    #expect(render(text, manual).hasSuffix("run 12     started by hand\n"))
    // The line of the next attempt has the failure of the one before.
    let failed = RunEnd(.failed, .exit(1))
    let waits = try move(
      .slot, from: .running,
      to: .backingOff(until: MonotonicInstant(nanoseconds: 30_000_000_000), after: failed),
      .actionEnded)
    #expect(render(text, waits).hasSuffix("run 12     failed, exit(1), next attempt in 30 s\n"))
    // An outcome that is its own reason is not explained.
    let overTime = RunState.ended(RunEnd(.timedOut, .timeout))
    #expect(
      render(
        text,
        try move(.slot, from: .running, to: overTime, .actionEnded, duration: .seconds(1))
      ).hasSuffix("run 12     timed_out, took 1 s\n"))
    #expect(!text.shows(try move(.slot, from: .backingOff, to: .queued, .delayOver), at: .info))
    #expect(
      !text.shows(
        try move(.slot, from: .queued, to: .running(attempt: 2), .retry, attempt: 2), at: .info))
  }

  @Test func `at level debug text has each verdict and each transition`() throws {
    let text = TextRenderer(zone: .utc, isColoured: false, isDetailed: true)
    let start = try move(.slot, from: .queued, to: .running(attempt: 1), .start)
    #expect(text.shows(start, at: .debug))
    #expect(render(text, start).hasSuffix("run 12     queued → running (start)\n"))
    #expect(
      render(text, try ran(late: .milliseconds(3))).hasSuffix(
        "slot       14:13:20.123 ran, late 3 ms (every)\n"))
  }

  @Test func `a JSON line of a run is as it was`() throws {
    let end = RunState.ended(RunEnd(.succeeded, .exit(0)))
    let line = render(
      JSONRenderer(),
      try move(.slot, from: .running, to: end, .actionEnded, duration: .milliseconds(5)))
    #expect(
      line
        == #"{"ts":"2026-09-21T14:13:20.123Z","level":"info","event":"run","machine":"run:12","#
        + #""seq":1,"job":"backup","run":12,"attempt":1,"slot":"2026-09-21T14:13:20.123Z","#
        + #""from":"running","to":"ended","cause":"action_ended","outcome":"succeeded","#
        + #""reason":"exit(0)","duration_ms":5.000,"descendants":0}"# + "\n")
  }

  @Test func `text has a line for each day, in its zone`() {
    let text = TextRenderer(zone: Zone(name: "X", initialOffsetSeconds: 3600), isColoured: false)
    var day: LogDay?
    var bytes: [UInt8] = []
    for seconds in [0, 60, 82_000, 83_000, 170_000] {
      let instant = WallInstant(milliseconds: 1_789_948_800_000 + Int64(seconds) * 1000)
      text.renderDay(of: instant, after: &day, into: &bytes)
    }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "-- Mon 2026-09-21 --\n-- Tue 2026-09-22 --\n-- Wed 2026-09-23 --\n")
    JSONRenderer().renderDay(of: WallInstant(milliseconds: 0), after: &day, into: &bytes)
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 3)
  }

  @Test func `each machine has a name in the log`() throws {
    let job = try #require(JobName("a.b"))
    let machines: [MachineID] = [
      .timer(.job(job)), .timer(.run(RunID(7))), .timer(.expected(RunID(8))), .timer(.shutdown),
      .run(RunID(9)),
    ]
    let lines = machines.map { machine in
      render(JSONRenderer(), record(.timer, [LogField(.machine, .machine(machine))]))
    }
    let names = ["timer:a.b", "run-timer:7", "expected-timer:8", "shutdown-timer", "run:9"]
    #expect(zip(lines, names).allSatisfy { $0.hasSuffix(#""machine":"\#($1)"}"# + "\n") })
    #expect(machines.map(\.description) == names)
  }

  @Test func `the line of a timer that is armed says for when`() throws {
    let job = TimerKey.job(try #require(JobName("backup")))
    func line(_ event: TimerEvent, due: WallInstant?) -> String {
      render(
        TextRenderer(zone: .utc, isColoured: false, isDetailed: true),
        LogRecord(
          at: at, .debug, .timer, routine: true,
          content: .timer(
            TimerRecord(
              key: job, sequence: 2, from: .running, to: .running, event: event,
              cause: event == .fire ? .due : .requested, due: due))))
    }
    #expect(
      line(.reschedule, due: at + .seconds(60))
        == "14:13:20.123  backup            timer      timer:backup running → running (reschedule), due 14:14:20.123\n"
    )
    #expect(
      line(.reschedule, due: at + .seconds(86_400)).hasSuffix(
        "(reschedule), due 2026-09-22T14:13:20.123\n"))
    #expect(line(.fire, due: nil).hasSuffix("running → running (fire) due\n"))
  }

  @Test func `a timer's transition shows the same as the fields it is made of`() throws {
    let key = TimerKey.job(try #require(JobName("a.b")))
    let moved = LogRecord(
      at: at, .debug, .timer, routine: true,
      content: .timer(
        TimerRecord(
          key: key, sequence: 3, from: .running, to: .cancelled, event: .fire, cause: .exhausted,
          due: at)))
    let listed = LogRecord(
      at: at, .debug, .timer, routine: true,
      [
        LogField(.machine, .machine(.timer(key))), LogField(.seq, .number(3)),
        LogField(.job, .text("a.b")), LogField(.from, .text("running")),
        LogField(.to, .text("cancelled")), LogField(.cause, .text("fire")),
        LogField(.due, .instant(at)), LogField(.reason, .text("exhausted")),
      ])
    #expect(moved == listed)
    #expect(LogKey.allCases.allSatisfy { moved[$0] == listed[$0] })
    let renderers: [any LogRenderer] = [
      JSONRenderer(), TextRenderer(zone: .utc, isColoured: true),
    ]
    for renderer in renderers { #expect(render(renderer, moved) == render(renderer, listed)) }
    #expect(
      render(JSONRenderer(), moved)
        == #"{"ts":"2026-09-21T14:13:20.123Z","level":"debug","event":"timer","#
        + #""machine":"timer:a.b","seq":3,"job":"a.b","from":"running","to":"cancelled","#
        + #""cause":"fire","due":"2026-09-21T14:13:20.123Z","reason":"exhausted"}"# + "\n")
  }

  @Test(arguments: [
    "0.104 | 104000", "-0.001 | -1000", "0.000 | 999", "12345.678 | 12345678901",
    "-2.050 | -2050000",
  ])
  func `a duration is shown in milliseconds with three places`(row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let duration = Duration.nanoseconds(try #require(Int64(parts[1])))
    var bytes: [UInt8] = []
    duration.appendMilliseconds(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == parts[0])
  }

  @Test func `an instant is written as bytes as it is as a text`() {
    for step in 0..<2_000 {
      let instant = WallInstant(nanoseconds: .min &+ Int64(step) &* 9_223_372_036_854_775)
      var bytes: [UInt8] = []
      instant.appendRFC3339(to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == instant.rfc3339())
    }
  }

  @Test func `routine records are debug in text, and JSON has all by default`() {
    let routine = record(.timer, [], routine: true)
    let text = TextRenderer(zone: .utc, isColoured: false)
    #expect(!text.shows(routine, at: LogFormat.text.defaultLevel))
    #expect(text.shows(routine, at: .debug))
    #expect(JSONRenderer().shows(.debug, routine: true, at: LogFormat.json.defaultLevel))
    #expect(!JSONRenderer().shows(.debug, routine: true, at: .info))
  }

  @Test func `a full queue drops output first, then routine records, last verdicts`() {
    var queue = LogQueue(limitBytes: 100_000)
    let output = record(.output, [LogField(.line, .bytes([65]))])
    let timer = record(.timer, [LogField(.machine, .text("x"))], routine: true)
    let verdict = record(.slot, [LogField(.job, .text("x"))])
    for item in [output, timer, verdict] {
      while queue.hasRoom(for: LogQueue.Class(item)) { queue.append(item) }
      queue.append(item)
    }
    let written = queue.popBatch()
    #expect(written.map(\.event).filter { $0 != .output }.first == .timer)
    #expect(written.last?.event == .slot)
    #expect(queue.popDropped(at: at).map { $0[.count] } == Array(repeating: .number(1), count: 3))
    #expect(!queue.hasRoom(for: .vital))
    queue.written(bytes: written.reduce(0) { $0 + $1.costBytes })
    #expect(queue.hasRoom(for: .output))
  }

  /// `docs/reference/log.md` describes each key in the words of `LogKey`.
  @Test func `the reference names every key of a line`() throws {
    let text = try Repository.text("docs/reference/log.md")
    for key in LogKey.allCases {
      #expect(text.contains("| `\(key.rawValue)` | \(key.summary) |"), "\(key.rawValue)")
    }
    for event in LogEvent.allCases { #expect(text.contains("| `\(event.rawValue)` |")) }
  }
}
