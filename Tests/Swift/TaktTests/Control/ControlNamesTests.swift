import Foundation
import TaktTesting
import Testing

@testable import takt

/// Every legal name of a job, a plugin and a tag works in every control command.
@Suite(.ownThreads) struct ControlNamesTests {
  private static let alphanumerics = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  private static func name(_ random: inout SplitMix64) -> String {
    let length = Int.random(in: 1...128, using: &random)
    let rest = (1..<length).map { _ in
      random.oneIn(3)
        ? "._-".randomElement(using: &random) ?? "-"
        : alphanumerics.randomElement(using: &random) ?? "a"
    }
    return String(alphanumerics.randomElement(using: &random) ?? "a") + String(rest)
  }

  @Test(arguments: UInt64(0)..<200)
  func `a name needs no encoding in a path or a query`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let name = Self.name(&random)
    #expect(name.asPathPart == name && name.asQueryValue == name)
  }

  @Test func `what no name has is encoded`() {
    #expect("a/b?c#d %ä".asPathPart == "a%2Fb%3Fc%23d%20%25%C3%A4")
  }

  @Test func `every command works for names with hyphens, underscores and dots`() throws {
    var random = SplitMix64(seed: 25)
    let names =
      ["a-b", "a_b", "a.b", "0-._", "7.7", "a--b..c__d", String(repeating: "-", count: 127)]
      .map { $0.hasPrefix("-") ? "x" + $0 : $0 } + [Self.name(&random)]
    let jobs = names.map {
      "  '\($0)': {cron: '@yearly', run: 'echo $TAKT_JOB', tags: [t-\($0.prefix(20))]}\n"
    }
    let live = try LiveTakt("jobs:\n" + jobs.joined())
    for name in names {
      let run = try live.takt("trigger", name, "--wait")
      #expect(run.status == 0 && run.output == "\(name)\n", "\(name): \(run)")
      #expect(try live.takt("logs", name).output == "\(name)\n")
      #expect(try live.takt("status", name).output.hasPrefix("\(name): "))
      #expect(try live.takt("suspend", name).output.hasPrefix(name))
      #expect(try live.takt("resume", name).output.hasPrefix(name))
      let cancel = try live.takt("cancel", name)
      #expect(cancel.status == 1 && cancel.errors.contains("no run of '\(name)'"), "\(cancel)")
      let tagged = try live.takt("status", "--match", "t-\(name.prefix(20))")
      #expect(tagged.output.contains(String(name.prefix(12))), "\(tagged)")
      // Each byte may also be encoded.
      let encoded = name.utf8.map { "%" + String($0, radix: 16) }.joined()
      #expect(try live.object("GET", "/api/v1/jobs/\(encoded)")["name"] as? String == name)
      #expect(try live.ask("GET", "/api/v1/runs?job=\(encoded)").status == 200)
    }
    let wrong = try live.takt("trigger", "a-c")
    #expect(wrong.status == 64 && wrong.errors.contains("no job 'a-c'"), "\(wrong)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `a family has no runs of its own, and is found by a name that is nearly its own`()
    throws
  {
    let live = try LiveTakt(
      "jobs: {backup: {for_each: {t: [a, b]}, cron: '@yearly', run: 'true'}}\n")
    let made = "'backup' is a definition with 'for_each', which makes 'backup.a', 'backup.b'"
    for command in ["slots", "why", "runs", "logs"] {
      let known = try live.takt(command, "backup")
      #expect(known.status == 64 && known.errors.contains(made), "\(command): \(known)")
    }
    for command in ["status", "trigger"] {
      let misspelt = try live.takt(command, "bakcup")
      #expect(misspelt.errors.contains("id you mean 'backup'?"), "\(command): \(misspelt)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `the run that was awaited is the one that logs shows`() throws {
    let live = try LiveTakt("jobs:\n  x: {cron: '@yearly', run: 'echo run $TAKT_RUN'}\n")
    for _ in 0..<10 {
      let run = try live.takt("trigger", "x", "-w")
      #expect(try live.takt("logs", "x").output == run.output)
      #expect(run.output.hasPrefix("run "))
    }
    // With JSON too, which follows no output.
    let json = try live.takt("trigger", "x", "--wait", "--json")
    let answer = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(try live.takt("logs", "x").output == "run \(answer?["run"] as? Int ?? 0)\n")
    #expect(try live.process.stop() == 0)
  }
}
