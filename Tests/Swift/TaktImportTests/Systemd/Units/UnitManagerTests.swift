import FoundationEssentials
import TaktCore
import Testing

@testable import TaktImport

/// Timers of a user, which another instance of systemd runs than those of the machine.
@Suite struct UnitManagerTests {
  private let fixture: ImportFixture

  init() throws {
    fixture = try ImportFixture()
    try fixture.write("root:x:0:\nstaff:x:1001:\n", to: "etc/group")
    try fixture.write(
      "root:x:0:0:root:/root:/bin/bash\nanna:x:1000:1001::/home/anna:/bin/zsh\n", to: "etc/passwd")
  }

  private func write(
    in folder: String, _ service: String = "ExecStart=/bin/x %u %h %U %G %g %s %t %C %E"
  ) throws {
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: folder + "/x.timer")
    try fixture.write("[Service]\nType=oneshot\n\(service)\n", to: folder + "/x.service")
  }

  private static let ofAnna: [String] = [
    "/bin/x", "anna", "/home/anna", "1000", "1001", "staff", "/bin/zsh", "/run/user/1000",
    "/home/anna/.cache", "/home/anna/.config",
  ]

  @Test(arguments: ["home/anna/.config/systemd/user", "home/anna/.local/share/systemd/user"])
  func `a timer in a home is that user's`(folder: String) throws {
    try write(in: folder)
    let result = fixture.run("/\(folder)/x.timer")
    let job = try #require(result.jobs.first)
    #expect(job[.run] == .list(Self.ofAnna.map(DraftValue.text)))
    #expect(job[.user] == .text("anna"))
    #expect(job[.directory] == .text("/home/anna"))
    #expect(job[.inheritance] == nil)
    #expect(
      job[.environment]
        == .mapping(["DBUS_SESSION_BUS_ADDRESS": .text("unix:path=/run/user/1000/bus")]))
    #expect(result.lost.isEmpty, "\(result.lost)")
    _ = try ImportFixture.load(result.text)
  }

  @Test func `a home that a link leads to is that user's by either name`() throws {
    try fixture.link("home/anna", to: "/srv/anna")
    try fixture.link("srv/anna/.config/systemd", to: "../dotfiles/systemd")
    try write(in: "srv/anna/dotfiles/systemd/user")
    for home in ["/home/anna", "/srv/anna"] {
      let result = fixture.run(home + "/.config/systemd/user/x.timer")
      #expect(result.jobs.first?[.run] == .list(Self.ofAnna.map(DraftValue.text)), "\(home)")
      #expect(result.jobs.first?[.directory] == .text("/home/anna"))
      #expect(result.report.unreadable.isEmpty, "\(result.report.unreadable)")
    }
  }

  @Test func `a home that links of two users lead to is no user's`() throws {
    try fixture.write(
      "anna:x:1000:1001::/home/anna:/bin/zsh\notto:x:1001:1001::/home/otto:/bin/sh\n",
      to: "etc/passwd")
    for name in ["anna", "otto"] { try fixture.link("home/\(name)", to: "/srv/both") }
    try write(in: "srv/both/.config/systemd/user")
    let result = fixture.run("/srv/both/.config/systemd/user/x.timer")
    #expect(result.jobs.isEmpty && result.report.unreadable.count == 1)
  }

  @Test(arguments: ["etc/systemd/user", "usr/lib/systemd/user", "srv/dotfiles"])
  func `--user names the user`(folder: String) throws {
    try write(in: folder)
    fixture.options.user = "anna"
    let result = fixture.run("/\(folder)/x.timer")
    #expect(result.jobs.first?[.run] == .list(Self.ofAnna.map(DraftValue.text)))
  }

  @Test(arguments: [
    ("etc/systemd/user", "a timer of all users; name the one to import it for with --user"),
    (
      "home/otto/.config/systemd/user",
      "the timer of a user, and '/home/otto' is not the home of one; name the user with --user"
    ),
  ])
  func `a timer of a user whom nothing names is refused`(folder: String, sentence: String) throws {
    try write(in: folder)
    let result = fixture.run("/\(folder)/x.timer")
    #expect(result.jobs.isEmpty)
    #expect(result.report.unreadable.map(\.sentence) == [sentence])
  }

  @Test func `a user who does not exist is refused`() throws {
    try write(in: "etc/systemd/user")
    fixture.options.user = "otto"
    let result = fixture.run("/etc/systemd/user/x.timer")
    #expect(result.report.unreadable.map(\.sentence) == ["there is no user 'otto'"])
  }

  @Test(arguments: [
    ("252", "/home/anna/.config /home/anna/.config/log"),
    ("257", "/home/anna/.local/state /home/anna/.local/state/log"),
  ])
  func `where a service keeps its state depends on the version`(
    version: String, folders: String
  ) throws {
    try write(in: "home/anna/.config/systemd/user", "ExecStart=/bin/x %S %L")
    try fixture.write("", to: "usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-\(version).so")
    let result = fixture.run("/home/anna/.config/systemd/user/x.timer")
    let words = ["/bin/x"] + folders.split(separator: " ").map(String.init)
    #expect(result.jobs.first?[.run] == .list(words.map(DraftValue.text)))
  }

  @Test func `without a version the job is disabled`() throws {
    try write(in: "home/anna/.config/systemd/user", "ExecStart=/bin/x %S")
    let result = fixture.run("/home/anna/.config/systemd/user/x.timer")
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(result.lost.count == 1)
  }

  @Test func `User of a service of the machine does not change its specifiers`() throws {
    try write(in: "etc/systemd/system", "User=anna\nExecStart=/bin/x %u %h %U %G %g %t %S %C %L %E")
    let result = fixture.run("/etc/systemd/system/x.timer")
    let words = [
      "/bin/x", "root", "/root", "0", "0", "root", "/run", "/var/lib", "/var/cache", "/var/log",
      "/etc",
    ]
    #expect(result.jobs.first?[.run] == .list(words.map(DraftValue.text)))
    #expect(result.jobs.first?[.user] == .text("anna"))
  }

  @Test func `units are looked for where the user's systemd does`() throws {
    let folder = "home/anna/.config/systemd/user"
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: folder + "/x.timer")
    try fixture.write("[Service]\nExecStart=/bin/machine\n", to: "etc/systemd/system/x.service")
    try fixture.write("[Service]\nExecStart=/bin/user\n", to: "usr/lib/systemd/user/x.service")
    try fixture.write("[Service]\nNice=5\n", to: "etc/systemd/user/x.service.d/nice.conf")
    let result = fixture.run("/\(folder)/x.timer")
    #expect(result.jobs.first?[.run] == .list([.text("/bin/user")]))
    #expect(result.jobs.first?[.nice] == .word("5"))
  }

  @Test func `what stops it and what follows it is asked of the user's systemd`() throws {
    let folder = "home/anna/.config/systemd/user"
    try write(in: folder, "ExecStart=/bin/x\n[Unit]\nOnFailure=alarm.service")
    try fixture.link(folder + "/timers.target.wants/x.timer", to: "../x.timer")
    let result = fixture.run("/\(folder)/x.timer")
    #expect(
      result.report.sources.map(\.stop) == [
        "rm \(fixture.folder.path)/home/anna/.config/systemd/user/timers.target.wants/x.timer"
      ])
    #expect(result.text.contains("systemctl, '--user', start"))
    let tree = ImportTree(root: nil)
    let context = ImportContext(
      fixture.options, tree: tree, accounts: ImportAccounts(of: tree, machine: OneAccount()))
    var manager = UnitManager.machine
    #expect(context.stop(ofTimer: "x.timer", manager) == "systemctl disable --now x.timer")
    manager.user = context.accounts.user(named: "anna")
    #expect(
      context.stop(ofTimer: "x.timer", manager)
        == "systemctl --user --machine=anna@.host disable --now x.timer")
    manager.user = context.accounts.own
    #expect(
      context.stop(ofTimer: "x.timer", manager) == "systemctl --user disable --now x.timer")
  }

  @Test func `that a user's timers need a session is said`() throws {
    let folder = "home/anna/.config/systemd/user"
    try write(in: folder)
    let sentence =
      "systemd runs the timers of 'anna' only while the user is logged in; takt always does"
    #expect(fixture.run("/\(folder)/x.timer").report.notes.map(\.sentence) == [sentence])
    try fixture.write("", to: "var/lib/systemd/linger/anna")
    #expect(fixture.run("/\(folder)/x.timer").report.notes.isEmpty)
  }
}

/// This process is root's.
private struct OneAccount: AccountSource {
  func account(for identity: UserAndGroup) -> Account? {
    Account(
      name: identity.user ?? "root", uid: 0, gid: 0, groups: [0], home: "/", shell: "/bin/sh")
  }
}
