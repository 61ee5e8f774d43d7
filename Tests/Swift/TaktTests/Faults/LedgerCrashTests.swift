import Foundation
import Glibc
import Synchronization
import TaktControl
import Testing

/// `kill -9` at any moment: no slot is lost or doubled, and each job's delivery holds.
@Suite(.serialized, .ownThreads) struct LedgerCrashTests {
  /// The number of kills; 200 in `make crash`.
  static let kills = ProcessInfo.processInfo.environment["TAKT_CRASHES"].flatMap(Int.init) ?? 12

  /// The number of stops soon after a start; 2,000 in `make crash`.
  static let quickStops =
    ProcessInfo.processInfo.environment["TAKT_QUICK_STOPS"].flatMap(Int.init) ?? 12

  private final class Ended: Sendable {
    let isSet = Atomic(false)
  }

  private struct Run: Decodable {
    var job: String
    var slot: String
    var kind: String
    var began: String?
    var outcome: String?
  }

  @Test func `after each of many kills every slot is accounted for, and deliveries hold`() throws {
    let folder = try TemporaryFolder()
    let markers = folder.url.appendingPathComponent("m")
    try FileManager.default.createDirectory(at: markers, withIntermediateDirectories: true)
    let deliveries = ["best_effort", "at_most_once", "at_least_once"]
    var text = "defaults: {missed: {within: 1h}, output: {log: false, keep: 0B}}\njobs:\n"
    for index in 0..<300 {
      let delivery = deliveries[index % 3]
      text += "  \(delivery)-\(index): {every: \(50 + index * 3 / 2)ms, delivery: \(delivery), "
      text += "run: 'echo \"$TAKT_SLOT\" >> m/$TAKT_JOB'}\n"
    }
    try folder.write(text)
    var random = SystemRandomNumberGenerator()
    for kill in 1...Self.kills {
      let takt = try TaktProcess(["run", "--log-level", "error"], in: folder)
      // The moment is the test: anywhere between the first instruction and a second later.
      usleep(UInt32.random(in: 0...1_000_000, using: &random))
      takt.crash()
      try expectBalance(in: folder, "after kill \(kill)")
    }
    let last = try TaktProcess(["run", "--log-format", "json"], in: folder)
    last.ignoredEvents = ["timer", "output"]
    // Interrupted runs start again first; later slots follow.
    try last.line("a new slot") { $0.verdict == "ran" && ($0.late_ms ?? 1e9) < 1000 }
    for _ in 0..<300 { try last.line("further runs") { $0.outcome == "succeeded" } }
    #expect(try last.stop() == 0)
    try expectBalance(in: folder, "at the end")
    try checkDeliveries(in: folder, markers)
  }

  @Test func `a stop soon after the start ends no reader of the ledger by a signal`() throws {
    let folder = try TemporaryFolder("jobs:\n  a: {every: 5ms, use: log, with: {message: x}}\n")
    // Enough in the ledger to keep readers busy when it is closed.
    let first = try TaktProcess(
      ["run", "--log-format", "json", "--log-level", "debug"], in: folder)
    for _ in 0..<300 { try first.line("runs") { $0.verdict == "ran" } }
    #expect(try first.stop() == 0)
    let client = ControlClient(socket: folder.url.appendingPathComponent(".takt/control.sock").path)
    let readers = DispatchGroup()
    let ended = Ended()
    for target in ["runs?limit=1000", "timeline"] {
      DispatchQueue(label: target).async(group: readers) {
        while !ended.isSet.load(ordering: .relaxed) {
          if (try? client.ask("GET", "/api/v1/\(target)")) == nil { usleep(1000) }
        }
      }
    }
    var random = SystemRandomNumberGenerator()
    for stop in 1...Self.quickStops {
      let takt = try TaktProcess(["run", "--log-level", "error"], in: folder)
      // The moment is the test: anywhere between the first instruction and a third of a second.
      usleep(UInt32.random(in: 0...300_000, using: &random))
      takt.signal(SIGTERM)
      let status = takt.waitForExit()
      // Before takt handles signals, SIGTERM ends it by the system's default.
      #expect(status == 0 || status == -SIGTERM, "stop \(stop): \(status) \(takt.errors)")
    }
    ended.isSet.store(true, ordering: .relaxed)
    readers.wait()
    try expectBalance(in: folder, "at the end")
  }

  private func expectBalance(in folder: TemporaryFolder, _ when: String) throws {
    let place = folder.url.appendingPathComponent(".takt/ledger.sqlite")
    guard FileManager.default.fileExists(atPath: place.path) else { return }
    let verify = try folder.takt("verify")
    let status = verify.status
    // It may have been killed before there were tables in the file.
    if status == 78 || verify.output.isEmpty { return }
    #expect(status == 0, "\(when): \(verify.output.prefix(2000)) \(verify.errors)")
  }

  private func checkDeliveries(in folder: TemporaryFolder, _ markers: URL) throws {
    let listing = try TaktProcess(["runs", "--json", "-n", "1000000"], in: folder)
    let runs = try listing.text().split(separator: "\n").map {
      try JSONDecoder().decode(Run.self, from: Data($0.utf8))
    }
    var done: [String: [String: Int]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: markers.path) {
      let lines = folder.read("m/\(name)").split(separator: "\n")
      done[name] = Dictionary(lines.map { (String($0), 1) }, uniquingKeysWith: +)
    }
    var counts = (again: 0, interrupted: 0, doubled: 0, missing: 0)
    for run in runs {
      if run.kind == "resumed" { counts.again += 1 }
      if run.outcome == "interrupted" { counts.interrupted += 1 }
      guard run.began != nil, run.outcome != nil, run.job.hasPrefix("at_least_once") else {
        continue
      }
      if done[run.job]?[run.slot] == nil { counts.missing += 1 }
    }
    for (name, slots) in done where name.hasPrefix("at_most_once") {
      counts.doubled += slots.values.count { $0 > 1 }
    }
    #expect(counts.missing == 0)
    #expect(counts.doubled == 0)
    print(
      "kills: \(Self.kills), runs: \(runs.count), interrupted: \(counts.interrupted), "
        + "run again: \(counts.again), at_most_once slots done twice: \(counts.doubled), "
        + "at_least_once slots begun and not done: \(counts.missing)")
  }
}
