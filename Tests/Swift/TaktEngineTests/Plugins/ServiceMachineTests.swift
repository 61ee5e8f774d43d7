import TaktCore
import Testing

@testable import TaktEngine
import FoundationEssentials

/// One service, without a process.
@Suite struct ServiceMachineTests {
  private func machine(runsMax: Int = 2) -> ServiceMachine {
    var manifest = PluginManifest(name: "p", version: "1", command: ["p"], folder: "/p")
    manifest.mode = .service
    manifest.runsMax = runsMax
    manifest.idleStop = .seconds(60)
    return ServiceMachine(manifest)
  }

  /// The effects without waits and log lines.
  private func deeds(_ effects: [ServiceMachine.Effect]) -> [ServiceMachine.Effect] {
    effects.filter {
      switch $0 {
      case .wait, .stopWaiting, .log: false
      default: true
      }
    }
  }

  private var ok: PluginResult { get throws { try result("ok") } }

  private func result(_ status: String) throws -> PluginResult {
    let line = Array(#"{"type":"result","status":"\#(status)"}"#.utf8)
    let message = try PluginMessage.read(line, with: .init())
    return try #require(PluginResult(message))
  }

  @Test func `a process is started for the first run, and runs wait for its hello`() throws {
    var machine = machine()
    #expect(deeds(machine.add("1")) == [.spawn])
    #expect(deeds(machine.add("2")).isEmpty)
    #expect(deeds(machine.greeted()) == [.start("1"), .start("2")])
    #expect(deeds(machine.add("3")).isEmpty)
    #expect(deeds(machine.result(of: "1", try ok)) == [.end("1", .done), .start("3")])
  }

  @Test func `what a run was told twice is a lapse, what was never told a fault`() throws {
    var machine = machine()
    _ = machine.add("1")
    _ = machine.greeted()
    _ = machine.result(of: "1", try ok)
    #expect(deeds(machine.result(of: "1", try ok)).isEmpty)
    _ = machine.add("2")
    #expect(
      deeds(machine.result(of: "9", try ok)) == [.kill, .end("2", PluginFault.wrongRun.result)])
  }

  @Test func `a run that heeds no cancel ends without the others`() throws {
    var machine = machine()
    _ = machine.add("1")
    _ = machine.add("2")
    _ = machine.greeted()
    #expect(machine.stop("1", isKill: false) == [.cancel("1")])
    #expect(deeds(machine.stop("1", isKill: true)) == [.end("1", ServiceMachine.cancelled)])
    // Its result comes too late, and is no fault.
    #expect(deeds(machine.result(of: "1", try ok)).isEmpty)
    #expect(deeds(machine.result(of: "2", try ok)) == [.end("2", .done)])
  }

  @Test func `a service in which many runs lapse is replaced`() throws {
    var machine = machine(runsMax: 100)
    _ = machine.add("0")
    _ = machine.greeted()
    _ = machine.result(of: "0", try ok)
    var last: [ServiceMachine.Effect] = []
    for run in 1...ServiceMachine.lapsesMax {
      _ = machine.add("\(run)")
      last = machine.stop("\(run)", isKill: true)
    }
    #expect(last.contains(.shutdown))
    #expect(machine.isLeaving)
  }

  @Test func `runs that wait when a service leaves are for another`() throws {
    var machine = machine(runsMax: 1)
    _ = machine.add("0")
    _ = machine.greeted()
    for run in 1...ServiceMachine.lapsesMax {
      _ = machine.add("\(run)")
      let effects = machine.stop("\(run - 1)", isKill: true)
      if run == ServiceMachine.lapsesMax {
        #expect(
          deeds(effects).prefix(2) == [
            .end("\(run - 1)", ServiceMachine.cancelled), .handOver("\(run)"),
          ])
      }
    }
    #expect(machine.isLeaving)
  }

  @Test func `who does not answer a ping is ended`() {
    var machine = machine()
    _ = machine.add("1")
    _ = machine.greeted()
    #expect(machine.timeReached(.ping).contains(.ping(id: 1)))
    #expect(machine.ponged(7).isEmpty)
    #expect(deeds(machine.timeReached(.pong)) == [.kill, .end("1", PluginFault.noPong.result)])
  }

  /// The length of its rest; nil for none.
  private func backOff(_ effects: [ServiceMachine.Effect]) -> Duration? {
    effects.lazy.compactMap { if case .wait(.backOff, let delay) = $0 { delay } else { nil } }.first
  }

  @Test func `a service that fails is started again later and later`() throws {
    var machine = machine()
    var delays: [Duration?] = []
    for _ in 0..<9 {
      _ = machine.add("1")
      delays.append(backOff(machine.processEnded()))
      _ = machine.timeReached(.backOff)
    }
    #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    // A hello alone is no success.
    _ = machine.add("2")
    _ = machine.greeted()
    #expect(backOff(machine.processEnded()) == .seconds(60))
    _ = machine.timeReached(.backOff)
    _ = machine.add("3")
    _ = machine.greeted()
    _ = machine.result(of: "3", try ok)
    #expect(backOff(machine.processEnded()) == .seconds(1))
  }

  @Test func `a service that nobody needs is asked to end`() throws {
    var machine = machine()
    _ = machine.add("1")
    _ = machine.greeted()
    #expect(machine.timeReached(.idle).isEmpty)
    #expect(machine.result(of: "1", try ok).contains(.wait(.idle, .seconds(60))))
    #expect(deeds(machine.timeReached(.idle)) == [.shutdown])
    #expect(deeds(machine.timeReached(.exit)) == [.kill])
    #expect(deeds(machine.processEnded()).isEmpty)
    #expect(machine.state == .idle)
  }

  @Test func `one that is given up before there is a process comes to its end all the same`() {
    var machine = machine()
    _ = machine.add("1")
    #expect(deeds(machine.timeReached(.hello)) == [.kill, .end("1", PluginFault.noHello.result)])
    #expect(machine.spawnFailed("no room").contains(.wait(.backOff, .seconds(1))))
  }

  @Test func `one that is retired ends when its runs have`() throws {
    var machine = machine()
    _ = machine.add("1")
    _ = machine.greeted()
    #expect(deeds(machine.retire()).isEmpty)
    #expect(deeds(machine.result(of: "1", try ok)) == [.end("1", .done), .shutdown])
    _ = machine.processEnded()
    #expect(machine.isGone)
  }
}
