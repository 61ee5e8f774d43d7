import TaktCore
import Testing

@testable import TaktEngine

/// Logs as `takt verify --log` reads them.
@Suite struct LogReplayTests {
  @Test func `a line without an end is refused at a bound`() throws {
    var log = LogReplay()
    try log.feed(Array("{\"ts\":\"\",\"event\":\"timer\"}\n".utf8)[...])
    let part = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)[...]
    var count = 0
    var line: Int?
    while line == nil, count <= LogReplay.lineBytesMax {
      do throws(LogReplay.NoLog) {
        try log.feed(part)
        count += part.count
      } catch {
        line = error.line
      }
    }
    #expect(line == 2)
    #expect(count == LogReplay.lineBytesMax)
  }

  @Test func `a line as long as it may be is read`() throws {
    var log = LogReplay()
    let text = String(repeating: "x", count: LogReplay.lineBytesMax - 100)
    try log.feed(Array("{\"ts\":\"\",\"event\":\"output\",\"line\":\"\(text)\"}\n".utf8)[...])
    // Nothing remains that would count as cut off.
    let notes = try log.finish().notes
    #expect(notes.isEmpty)
  }

  @Test func `lines that jobs print are passed over, and prove nothing`() throws {
    var bytes: [UInt8] = []
    let forged = Self.timer("00:00.002", "timer:a", 7, "idle", "running", "activate")
    RawLine.append(Array("plain".utf8), .json, to: &bytes)
    bytes += Array("\(Self.start)\n".utf8)
    for line in [forged, "x\(forged)\(forged)", #"{"event":"timer","machine":"timer:a","seq":9}"#] {
      RawLine.append(Array(line.utf8), .json, to: &bytes)
    }
    var log = LogReplay()
    try log.feed(bytes[...])
    let (replay, notes) = try log.finish()
    #expect(notes.contains("has 4 lines that are not takt's"))
    #expect(replay.problems.isEmpty, "\(replay.problems)")
    var none = LogReplay()
    try none.feed(Array("hello\n".utf8)[...])
    #expect(throws: LogReplay.NoLog.self) { try none.finish() }
  }

  @Test func `a raw line stays the same JSON`() throws {
    for line in [#"{"ts":1,"a":{"ts":"x"}}"#, #"{"a":"{\"ts\":"}"#, "{}", ""] {
      var bytes: [UInt8] = []
      RawLine.append(Array(line.utf8), .json, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.replacing("{ \"ts\":", with: "{\"ts\":") == line + "\n")
      #expect(!text.contains("{\"ts\":"))
      bytes = []
      RawLine.append(Array(line.utf8), .text, to: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == line + "\n")
    }
  }

  // MARK: - Machines without a line

  private static func timer(
    _ time: String, _ machine: String, _ seq: Int, _ from: String, _ to: String, _ cause: String
  ) -> String {
    #"{"ts":"2026-11-28T10:\#(time)Z","level":"debug","event":"timer","machine":"\#(machine)","#
      + #""seq":\#(seq),"from":"\#(from)","to":"\#(to)","cause":"\#(cause)"}"#
  }

  private static func run(
    _ time: String, _ seq: Int, _ from: String, _ to: String, _ cause: String
  ) -> String {
    #"{"ts":"2026-11-28T10:\#(time)Z","level":"info","event":"run","machine":"run:1","#
      + #""seq":\#(seq),"job":"a","run":1,"from":"\#(from)","to":"\#(to)","cause":"\#(cause)"}"#
  }

  private static func other(_ time: String, _ fields: String) -> String {
    #"{"ts":"2026-11-28T10:\#(time)Z","level":"notice",\#(fields)}"#
  }

  private static let start = other(
    "00:00.000", #""event":"scheduler","message":"takt, pid 1","pid":1"#)

  /// A job with a slot whose run exceeds its timeout, one without a slot, and one that a reload adds.
  private static let running = [
    start,
    timer("00:00.001", "timer:a", 1, "idle", "running", "activate"),
    timer("00:00.001", "timer:rare", 1, "idle", "running", "activate"),
    other("00:20.000", #""event":"plan","machine":"timer:new","job":"new","change":"added""#),
    timer("00:20.001", "timer:new", 1, "idle", "running", "activate"),
    timer("00:30.000", "timer:a", 2, "running", "running", "fire"),
    other(
      "00:30.000",
      #""event":"slot","job":"a","slot":"2026-11-28T10:00:30.000Z","cause":"every","verdict":"ran","#
        + #""due":"2026-11-28T10:00:30.000Z","late_ms":0.4,"run":1"#),
    run("00:30.000", 1, "queued", "running", "start"),
    timer("00:30.001", "run-timer:1", 1, "idle", "running", "activate"),
    timer("00:30.001", "timer:a", 3, "running", "running", "reschedule"),
    timer("00:40.000", "run-timer:1", 2, "running", "running", "fire"),
    run("00:40.000", 2, "running", "stopping", "timeout"),
    run("00:40.100", 3, "stopping", "ended", "action_ended"),
    timer("00:40.100", "run-timer:1", 3, "running", "cancelled", "cancel"),
    other("01:00.000", #""event":"scheduler","message":"nothing""#),
  ]

  private static let stop = [
    timer("01:01.000", "timer:a", 4, "running", "cancelled", "cancel"),
    timer("01:01.000", "timer:rare", 2, "running", "cancelled", "cancel"),
    timer("01:01.000", "timer:new", 2, "running", "cancelled", "cancel"),
    other("01:01.000", #""event":"scheduler","message":"stopped""#),
  ]

  private static let count = other(
    "01:01.001", #""event":"scheduler","message":"x","reason":"transitions","count":14"#)

  private func problems(_ lines: some Sequence<String>) throws -> [String] {
    var log = LogReplay()
    for line in lines { try log.feed(Array("\(line)\n".utf8)[...]) }
    return try log.finish().replay.problems
  }

  private func without(_ machine: String, _ lines: [String]) -> [String] {
    lines.filter { !$0.contains(#""machine":"\#(machine)","seq""#) }
  }

  @Test(arguments: ["timer:a", "timer:rare", "timer:new", "run:1", "run-timer:1"])
  func `a machine of which every line is missing is found`(machine: String) throws {
    let named = "\(machine): has no transitions, although other lines name it"
    let open = try problems(without(machine, Self.running))
    // No line names a timer that is set once and never fires.
    #expect(open == (machine == "timer:rare" ? [] : [named]))
    let stopped = try problems(without(machine, Self.running + Self.stop))
    #expect(stopped == open)
    let counted = try problems(without(machine, Self.running + Self.stop + [Self.count]))
    let left = without(machine, Self.running + Self.stop).count { $0.contains(#""seq":"#) }
    #expect(counted == open + ["the daemon logged 14 transitions, but \(left) of them are here"])
    // If the log has dropped lines, these may be among them.
    let dropped = Self.other(
      "00:50.000", #""event":"scheduler","message":"x","reason":"records","count":9"#)
    #expect(
      try problems(without(machine, [Self.start, dropped] + Self.running.dropFirst())).isEmpty)
  }

  @Test func `a timer that is named until the end of a log without a stop is found`() throws {
    let slots = (0...12).map { second in
      let time = "01:\(second < 10 ? "0" : "")\(second).000"
      return Self.other(
        time,
        #""event":"slot","job":"a","slot":"2026-11-28T10:\#(time)Z","cause":"every","verdict":"missed","#
          + #""reason":"stalled","due":"2026-11-28T10:\#(time)Z""#)
    }
    let lines = without("timer:a", Self.running) + slots
    #expect(try problems(lines) == ["timer:a: has no transitions, although other lines name it"])
  }

  @Test func `no part of a log that is whole is complained of`() throws {
    let whole = Self.running + Self.stop + [Self.count]
    for first in whole.indices {
      for end in first...whole.count {
        let part = whole[first..<end]
        #expect(try problems(part) == [], "\(first)..<\(end)")
        // Killed there, and started again.
        #expect(try problems(part + [Self.start]) == [], "\(first)..<\(end), started again")
      }
    }
    // Less detail has no timers, and earlier versions have none in plans.
    let brief = (Self.running + Self.stop).filter { !$0.contains("timer") }
    #expect(try problems(brief) == [])
    let earlier = Self.running.map {
      $0.replacing(#""event":"plan","machine":"timer:new","#, with: #""event":"plan","#)
    }
    #expect(try problems(earlier + Self.stop) == [])
  }
}
