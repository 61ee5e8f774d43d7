import TaktCore
import Testing

@testable import TaktImport

/// A service that starts another one with it, as a backup starts its pruning.
@Suite struct PulledServicesTests {
  private let fixture: ImportFixture

  init() throws {
    fixture = try ImportFixture()
    try timer("backup")
  }

  private func timer(_ name: String) throws {
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/\(name).timer")
  }

  private func service(_ name: String, _ unit: String, _ service: String = "") throws {
    try fixture.write(
      "[Unit]\n\(unit)\n[Service]\nType=oneshot\n\(service)\nExecStart=/bin/\(name)\n",
      to: "u/\(name).service")
  }

  private func comments(_ result: Importer.Result) -> [String] {
    Array(result.jobs[0].comments.dropFirst(2))
  }

  @Test func `the service that follows is proposed as a job`() throws {
    try service("backup", "Wants=prune.service")
    try service("prune", "After=backup.service")
    let result = fixture.run("/u/backup.timer")
    #expect(result.jobs.count == 1)
    #expect(result.lost == ["Wants=prune.service: systemd starts it, too, and takt does not"])
    #expect(
      result.report.notes.map(\.sentence) == [
        "systemd starts prune.service after each run of 'backup', and takt does not; the comment "
          + "above 'backup' has a job for it"
      ])
    #expect(
      comments(result) == [
        "systemd starts prune.service after each run of 'backup'; to keep that, add the job",
        "  prune:", "    after: {job: backup, on: any}", "    overlap: queue", "    cwd: /",
        "    inherit_env: [LANG]", "    run: [/bin/prune]", "    kill: {grace: 1m30s}",
      ])
    let uncommented = result.text.split(separator: "\n").map {
      $0.hasPrefix("  #   ") ? "  " + $0.dropFirst(6) : String($0)
    }
    #expect(uncommented.contains("  prune:"))
  }

  @Test func `what follows the one that follows is proposed, too`() throws {
    try service("backup", "Wants=prune.service")
    try service("prune", "After=backup.service\nRequires=backup.service\nWants=copy.service")
    try service("copy", "After=prune.service")
    let result = fixture.run("/u/backup.timer")
    #expect(comments(result).contains("    after: {job: backup, on: success}"))
    #expect(comments(result).contains("    after: {job: prune, on: any}"))
    #expect(result.report.notes.count == 2)
  }

  @Test func `the service that comes first is proposed with the times`() throws {
    try service("backup", "Requires=snapshot.service\nAfter=snapshot.service")
    try service("snapshot", "")
    let result = fixture.run("/u/backup.timer")
    #expect(comments(result).contains("    calendar: daily"))
    #expect(
      comments(result).suffix(2) == [
        "and in 'backup', instead of its times:", "    after: {job: snapshot, on: success}",
      ])
  }

  @Test func `without an order both have the same times`() throws {
    try service("backup", "Wants=report.service")
    try service("report", "")
    let result = fixture.run("/u/backup.timer")
    #expect(comments(result).contains("    calendar: daily"))
    #expect(!comments(result).contains { $0.contains("after:") })
  }

  @Test func `of two jobs the second gets after`() throws {
    try service("backup", "Wants=prune.service")
    try service("prune", "After=backup.service")
    try timer("prune")
    let result = fixture.run("/u/backup.timer", "/u/prune.timer")
    #expect(result.jobs[1][.after] == .mapping(["job": .text("backup"), "on": .word("any")]))
    #expect(result.report.isComplete, "\(result.lost)")
    #expect(result.changed == ["Wants=prune.service: in 'after' of the other job"])
    #expect(result.report.notes.isEmpty)
    _ = try ImportFixture.load(result.text)
  }

  @Test(arguments: ["ConditionPathExists=/x", "Requires=backup.service", "BindsTo=backup.service"])
  func `after is only proposed where it is not the same`(unit: String) throws {
    let isFirst = unit.hasPrefix("Condition")
    try service("backup", "Wants=prune.service\n" + (isFirst ? unit : ""))
    try service("prune", "After=backup.service\n" + (isFirst ? "" : unit))
    try timer("prune")
    let result = fixture.run("/u/backup.timer", "/u/prune.timer")
    #expect(result.jobs.allSatisfy { $0[.after] == nil })
    let end = isFirst ? "any" : "success"
    #expect(
      result.report.notes.contains {
        $0.sentence.hasSuffix("add 'after: {job: backup, on: \(end)}' to 'prune'")
      }, "\(result.report.notes)")
  }

  @Test(arguments: ["Type=simple", "RemainAfterExit=yes"])
  func `a service that stays is started by a step`(type: String) throws {
    try service("backup", "Wants=database.service\nAfter=database.service")
    try service("database", "", type)
    let result = fixture.run("/u/backup.timer")
    #expect(comments(result).isEmpty)
    #expect(
      result.report.notes.first?.sentence.hasSuffix(
        "{run: [systemctl, start, database.service], continue: ignore}") == true)
  }

  @Test func `a unit that is not there is named, and a masked one is nothing`() throws {
    try service("backup", "Wants=gone.service\nWants=masked.service\nWants=network-online.target")
    try fixture.link("u/masked.service", to: "/dev/null")
    let result = fixture.run("/u/backup.timer")
    #expect(result.lost.count == 2, "\(result.lost)")
    #expect(
      result.report.notes.map(\.sentence) == [
        "systemd starts gone.service, too, and takt does not; there is no such unit here"
      ])
  }

  @Test func `a long chain of services is followed for a part`() throws {
    try service("backup", "Wants=s0.service")
    for number in 0..<2000 { try service("s\(number)", "Wants=s\(number + 1).service") }
    let notes = fixture.run("/u/backup.timer").report.notes
    #expect(notes.count == 30)
    #expect(notes.last?.sentence == "systemd starts still more services; only some are named")
  }

  @Test func `a service of the folder beside it counts`() throws {
    try service("backup", "")
    try service("prune", "After=backup.service")
    try fixture.link("u/backup.service.wants/prune.service", to: "../prune.service")
    #expect(comments(fixture.run("/u/backup.timer")).contains("  prune:"))
  }
}
