import Foundation
import TaktCore
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
    #expect(duration.millisecondsText == parts[0])
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

  /// `docs/log.md` describes each key in the words of `LogKey`.
  @Test func `the reference names every key of a line`() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/log.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for key in LogKey.allCases {
      #expect(text.contains("| `\(key.rawValue)` | \(key.summary) |"), "\(key.rawValue)")
    }
    for event in LogEvent.allCases { #expect(text.contains("| `\(event.rawValue)` |")) }
  }
}
