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
    ("ConditionACPower=true", "systemd-ac-power"),
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
