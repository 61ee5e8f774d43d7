import Foundation
import TaktCore
import TaktEngine
import Testing

/// The life of a job's timer machine, in the log.
@Suite(.ownThreads) struct MachineLifeTests {
  @Test func `one machine lives from a job's load to its removal, and no line of it can be missed`()
    throws
  {
    let folder = try TemporaryFolder()
    func file(_ job: String) -> String {
      "jobs: {\(job), other: {every: 1h, run: 'true'}}\n"
    }
    try folder.write(file("tick: {every: 100ms, use: log, with: {message: x}}"))
    var log = ""
    let daemon = try TaktProcess(["run"], in: folder)
    daemon.onBytes = { log += String(decoding: $0, as: UTF8.self) }
    func reaches(_ to: String, _ cause: String) throws {
      try daemon.line("\(cause) to \(to)") {
        $0.machine == "timer:tick" && $0.to == to && $0.cause == cause
      }
    }
    for _ in 1...3 { try reaches("running", "fire") }
    #expect(try folder.takt("suspend", "tick").status == 0)
    try reaches("suspended", "suspend")
    #expect(try folder.takt("resume", "tick").status == 0)
    try reaches("running", "resume")
    #expect(try folder.takt("suspend", "tick", "--for", "200ms").status == 0)
    try daemon.line("the pause's end") {
      $0.machine == "pause-timer:tick" && $0.cause == "fire"
    }
    try reaches("running", "resume")
    try folder.write(file("tick: {every: 150ms, use: log, with: {message: x}}"))
    daemon.signal(SIGHUP)
    try daemon.line("the reload") { $0.message == "reloaded" }
    try reaches("running", "fire")
    try folder.write(file("tock: {every: 150ms, enabled: false, run: 'true'}"))
    daemon.signal(SIGHUP)
    try reaches("cancelled", "cancel")
    try daemon.line("the new job") { $0.machine == "timer:tock" && $0.to == "suspended" }
    #expect(try daemon.stop() == 0)

    expectLife(of: daemon)
    try expectEachLineNeeded(log.split(separator: "\n").map(String.init), of: daemon, in: folder)
  }

  private func expectLife(of daemon: TaktProcess) {
    let life = daemon.lines.filter { $0.machine == "timer:tick" }
    #expect(life.map(\.seq) == Array(1...life.count))
    #expect(life.first?.cause == "activate" && life.last?.to == "cancelled")
    #expect(life.dropLast().allSatisfy { $0.to != "cancelled" })
    let verdicts = daemon.lines.filter { $0.job == "tick" && $0.verdict == "ran" }
    // At most two a slot: the fire, and the order for the next one.
    #expect(life.count { $0.cause == "fire" || $0.cause == "reschedule" } <= 2 * verdicts.count + 6)
    // Timers are armed for the slot's own millisecond.
    let armed = Set(life.compactMap(\.due))
    #expect(verdicts.compactMap(\.slot).allSatisfy(armed.contains))
  }

  private func expectEachLineNeeded(
    _ lines: [String], of daemon: TaktProcess, in folder: TemporaryFolder
  ) throws {
    func verify(_ lines: [String]) throws -> Int32 {
      try folder.write(lines.joined(separator: "\n") + "\n", to: "log")
      return try folder.takt("verify", "--log", "log").status
    }
    #expect(try verify(lines) == 0)
    for (place, line) in lines.enumerated() where line.contains(#""event":"timer""#) {
      var cut = lines
      cut.remove(at: place)
      #expect(try verify(cut) == 1, "without \(line)")
    }
    #expect(try verify(lines.filter { !$0.contains(#""seq":"#) }) == 1, "not verifiable")
    #expect(try verify(lines.filter { !$0.contains(#""machine":"timer:other""#) }) == 1)

    func problems(_ lines: some Sequence<String>) throws -> [String] {
      var log = LogReplay()
      for line in lines { try log.feed(Array("\(line)\n".utf8)[...]) }
      return try log.finish().replay.problems
    }
    let machines = Set(daemon.lines.filter { $0.seq != nil }.compactMap(\.machine))
    #expect(machines.count > 8)
    for machine in machines {
      let cut = lines.filter { !$0.contains(#""machine":"\#(machine)","seq""#) }
      #expect(try !problems(cut).isEmpty, "without \(machine)")
    }
    // A log that was rotated, or whose daemon was killed, is no mistake.
    for place in lines.indices {
      #expect(try problems(lines[place...]) == [], "from \(place)")
      #expect(try problems(lines[..<place]) == [], "to \(place)")
    }
  }
}
