import TaktCore
import Testing

@testable import TaktImport

@Suite struct ConditionImportTests {
  private func result(_ unit: String, _ timer: String) throws -> Importer.Result {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\n\(timer)\n[Install]\nWantedBy=timers.target\n", to: "u/x.timer")
    try fixture.write(
      "[Unit]\n\(unit)\n[Service]\nType=oneshot\nExecStart=/bin/true\n", to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  @Test(arguments: [
    ("ConditionPathExists=/etc/x", "test -e /etc/x"),
    ("ConditionPathExists=!/etc/initrd-release", "! test -e /etc/initrd-release"),
    (
      "ConditionACPower=true",
      "{ PATH=/usr/bin:/usr/lib/systemd:/lib/systemd systemd-ac-power 2>/dev/null; test $? -ne 1; }"
    ),
    (
      "ConditionACPower=!false",
      "! { PATH=/usr/bin:/usr/lib/systemd:/lib/systemd systemd-ac-power 2>/dev/null; test $? -eq 1; }"
    ),
    ("ConditionVirtualization=!no", "! { ! systemd-detect-virt -q; }"),
    ("ConditionVirtualization=!container", "! systemd-detect-virt -q --container"),
    ("ConditionPathIsDirectory=/a b", "test -d '/a b'"),
    ("ConditionFileNotEmpty=/a\nConditionPathExists=/b", "test -s /a && test -e /b"),
    ("ConditionPathExists=|/a\nConditionPathExists=|/b", "{ test -e /a || test -e /b; }"),
    ("ConditionPathExists=/a\nConditionPathExists=\nConditionPathExists=/b", "test -e /b"),
  ])
  func `a condition becomes only_if`(unit: String, command: String) throws {
    let result = try result(unit, "OnCalendar=daily")
    #expect(result.jobs.first?[.onlyIf] == .list([.text("/bin/sh"), .text("-c"), .text(command)]))
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `a condition that no shell can test is not kept`() throws {
    let result = try result("ConditionCapability=CAP_SYS_ADMIN", "OnCalendar=daily")
    #expect(result.jobs.first?[.onlyIf] == nil)
    #expect(result.lost.count == 1)
  }

  /// Runs the service `service` daily.
  private func result(ofService service: String) throws -> Importer.Result {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write("[Service]\n\(service)\nExecStart=/bin/true\n", to: "u/x.service")
    return fixture.run("/u/x.timer")
  }

  @Test(arguments: [
    ("ExecCondition=/bin/x -a 'b c'", "/bin/x -a 'b c'"),
    ("ExecCondition=/bin/x\nExecCondition=/bin/y", "/bin/x && /bin/y"),
    ("ExecCondition=-/bin/x", "{ /bin/x || true; }"),
    ("ExecCondition=/bin/x $A ${B}c $$d", #"(set -f; exec /bin/x $A "${B}"c '$d')"#),
    ("ExecCondition=:/bin/x $A", "/bin/x '$A'"),
    ("ExecCondition=+/bin/x", "/bin/x"),
    (
      "SuccessExitStatus=3 TEMPFAIL\nExecCondition=/bin/x",
      "{ /bin/x; case $? in 0|3|75) ;; *) false ;; esac; }"
    ),
  ])
  func `ExecCondition becomes only_if, and what differs is said`(
    service: String, command: String
  ) throws {
    let result = try result(ofService: "Type=oneshot\n" + service)
    #expect(
      result.jobs.first?[.onlyIf]
        == .mapping([
          "run": .list([.text("/bin/sh"), .text("-c"), .text(command)]), "timeout": .word("1h"),
        ]))
    #expect(result.jobs.first?[.enabled] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
    #expect(
      result.changed.allSatisfy {
        $0.hasSuffix(
          "in 'only_if': the run is skipped after status 255, a signal or a timeout, too, and does not fail"
        )
      }, "\(result.changed)")
    #expect(!result.changed.isEmpty)
    _ = try ImportFixture.load(result.text)
  }

  @Test(arguments: [
    "ExecCondition=|/bin/x", "ExecCondition='/bin/x", "ExecCondition=/bin/x %m",
    "User=anna\nExecCondition=+/bin/x",
  ])
  func `a job whose ExecCondition cannot be kept is disabled`(service: String) throws {
    let result = try result(ofService: service)
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(result.lost.count == 1, "\(result.lost)")
  }

  @Test(arguments: [
    ("", "1m30s"), ("Type=oneshot", "1h"), ("TimeoutStartSec=20", "20s"), ("TimeoutSec=3h", "1h"),
    ("TimeoutStartSec=infinity", "1h"),
  ])
  func `ExecCondition has the time that a start has`(service: String, timeout: String) throws {
    let result = try result(ofService: service + "\nExecCondition=/bin/x")
    guard case .map(let entries)? = result.jobs.first?[.onlyIf] else {
      Issue.record("\(result.text)")
      return
    }
    #expect(entries.last?.value == .word(timeout))
  }

  @Test func `a delay after the boot is kept`() throws {
    let result = try result("", "OnBootSec=15min\nOnActiveSec=10\nOnUnitActiveSec=1d")
    #expect(result.jobs.first?[.on] == .mapping(["boot": .word("15m"), "start": .word("10s")]))
    #expect(result.jobs.first?[.every] == .word("1d"))
  }

  @Test func `a delay that no jobs file may have is reported`() throws {
    let result = try result("", "OnBootSec=367d\nOnUnitActiveSec=1d")
    #expect(result.jobs.first?[.on] == nil)
    #expect(result.lost.count == 1, "\(result.lost)")
  }
}
