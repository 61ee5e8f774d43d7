import TaktCore
import Testing

@testable import TaktImport

/// The severity of settings that are not kept.
@Suite struct LossSeverityTests {
  private func result(_ unit: String, _ service: String) throws -> Importer.Result {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write(
      "[Unit]\n\(unit)\n[Service]\nType=oneshot\nExecStart=/bin/true\n\(service)\n",
      to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  @Test(arguments: [
    ("After=network-online.target", LossSeverity.noMeaning),
    ("Wants=network-online.target time-sync.target", .noMeaning),
    ("Conflicts=shutdown.target", .noMeaning), ("DefaultDependencies=no", .noMeaning),
    ("Wants=b.service", .changesRun), ("Requires=network.target b.service", .changesRun),
    ("RequiresMountsFor=/srv", .changesRun), ("ConditionCapability=CAP_SYS_ADMIN", .changesRun),
  ])
  func `an assignment of a unit matters as much as it changes`(line: String, severity: LossSeverity)
    throws
  {
    let result = try result(line, "")
    #expect(result.report.losses(severity).map(\.token.text) == [line], "\(result.lost)")
    #expect(result.report.isComplete == (severity != .changesRun))
  }

  @Test(arguments: [
    ("ProtectSystem=strict", LossSeverity.protectsLess), ("PrivateTmp=yes", .protectsLess),
    ("SystemCallFilter=@system-service", .protectsLess), ("MemoryHigh=400M", .protectsLess),
    ("MemoryMax=50%", .protectsLess), ("OOMPolicy=kill", .protectsLess),
    ("LogRateLimitBurst=5", .noMeaning), ("PIDFile=/run/x.pid", .noMeaning),
    ("BindPaths=/a:/b", .changesRun), ("RootDirectory=/srv", .changesRun),
    ("AmbientCapabilities=CAP_NET_ADMIN", .changesRun), ("RuntimeDirectory=x", .changesRun),
    ("LimitMEMLOCK=infinity", .changesRun), ("LogsDirectory=x", .changesRun),
    ("SomethingNew=yes", .changesRun),
  ])
  func `an assignment of a service matters as much as it changes`(
    line: String, severity: LossSeverity
  ) throws {
    let result = try result("", line)
    #expect(result.report.losses(severity).map(\.token.text) == [line], "\(result.lost)")
    #expect(result.report.isComplete == (severity != .changesRun))
  }

  @Test(arguments: [
    ("metadata.labels.app", LossSeverity.noMeaning), ("metadata.namespace", .noMeaning),
    ("spec.template.spec.nodeSelector.disk", .noMeaning),
    ("spec.containers.resources.requests.cpu", .noMeaning),
    ("spec.containers.resources.limits.memory", .protectsLess),
    ("spec.securityContext.readOnlyRootFilesystem", .protectsLess),
    ("spec.securityContext.runAsUser", .changesRun),
    ("spec.securityContext.capabilities.add", .changesRun),
    ("spec.volumes.name", .changesRun), ("saveLimit", .noMeaning), ("anything", .changesRun),
  ])
  func `a value of a YAML file matters as much as it changes`(
    path: String, severity: LossSeverity
  ) {
    #expect(ForeignKey.severity(of: path) == severity)
  }

  @Test func `the worst that is said of a word counts`() {
    let report = ImportReport()
    let token = SourceToken("x", at: SourceLocation(file: "f", line: 1, column: 1))
    report.lose(token, "first", severity: .noMeaning)
    #expect(report.isComplete)
    report.lose(token, "second", severity: .changesRun)
    report.lose(token, "third", severity: .protectsLess)
    #expect(report.losses(.changesRun).count == 1)
    #expect(!report.isComplete)
  }
}
