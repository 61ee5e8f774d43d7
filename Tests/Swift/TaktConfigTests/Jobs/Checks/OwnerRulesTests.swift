import Glibc
import TaktCore
import TaktTesting
import Testing

@testable import TaktConfig

/// The allowed owners and writers of files that takt reads as root.
struct OwnerRulesTests {
  private static let loader = JobsLoader(
    accounts: TestAccounts(own: "root"), refusesWritableByOthers: true)

  private let folder = TemporaryFolder()

  private func load(_ text: String) -> [Diagnostic] {
    folder.write(text, to: "jobs.yaml")
    return Self.loader.load(path: folder["jobs.yaml"]).diagnostics
      // The owner of a test's own files is another question.
      .filter { !$0.message.contains("who can thereby do anything as root") }
  }

  private static let jobs = "jobs: {a: {on: start, run: x}}\n"

  @Test(arguments: [0o775, 0o757, 0o777] as [mode_t])
  func `a jobs file in a folder that others can write is refused, and chmod fixes it`(
    mode: mode_t
  ) throws {
    chmod(folder.path, mode)
    let diagnostics = load(Self.jobs)
    #expect(rows(diagnostics) == ["unsafePermissions"])
    #expect(diagnostics.first?.hint == "run: chmod go-w \(folder.path)")
    chmod(folder.path, 0o755)
    #expect(load(Self.jobs) == [])
  }

  @Test(.enabled(if: geteuid() == 0, "a file that root owns takes root"))
  func `a jobs file of root in a sticky folder of root is read, and a pattern there is not`() {
    chmod(folder.path, 0o1777)
    #expect(load(Self.jobs) == [])
    folder.write("jobs: {}\n", to: "other.yaml")
    #expect(rows(load("include: ['o*.yaml']\n" + Self.jobs)).last == "1:11 unsafePermissions")
    // Only that user and root can replace it.
    folder.write(Self.jobs, to: "jobs.yaml")
    chown(folder["jobs.yaml"], 1000, 1000)
    let loaded = Self.loader.load(path: folder["jobs.yaml"])
    #expect(rows(loaded.diagnostics) == ["unsafePermissions"])
    #expect(loaded.snapshot != nil)
  }

  @Test func `a jobs file reached by a link is as safe as the folder that it is in`() {
    let inner = folder.makeFolder("open")
    folder.write(Self.jobs, to: "open/jobs.yaml")
    folder.makeLink("link.yaml", to: "open/jobs.yaml")
    chmod(inner, 0o777)
    let diagnostics = Self.loader.load(path: folder["link.yaml"]).diagnostics
    #expect(diagnostics.first?.hint == "run: chmod go-w \(inner)")
  }

  @Test(arguments: ["plugins", "plugins/p"])
  func `a plugin in a folder that others can write is refused`(open: String) {
    folder.makeFolder("plugins")
    folder.makeFolder("plugins/p")
    folder.write("name: p\nversion: 1.0.0\nprotocol: 1\nexec: [cat]\n", to: "plugins/p/plugin.yaml")
    chmod(folder[open], 0o777)
    let text = "jobs: {a: {on: start, use: p}}\n"
    #expect(load(text).contains { $0.hint == "run: chmod go-w \(folder[open])" })
    chmod(folder[open], 0o755)
    #expect(load(text) == [])
  }

  @Test(
    .enabled(if: geteuid() == 0, "a file of another user takes root"),
    arguments: [
      (0, "", true), (1000, "", false), (0, "user: worker, inherit_env: false", true),
      (1000, "user: worker, inherit_env: false", true),
      (1001, "user: worker, inherit_env: false", false),
    ] as [(uid_t, String, Bool)])
  func `an env_file belongs to root or to the job's user`(
    owner: uid_t, keys: String, isRead: Bool
  ) {
    let file = folder.write("A=b\n", to: "e")
    chown(file, owner, 0)
    let text = "jobs:\n  a: {on: start, run: x, env_file: e\(keys.isEmpty ? "" : ", " + keys)}\n"
    let diagnostics = load(text)
    #expect(rows(diagnostics) == (isRead ? [] : ["2:36 unsafePermissions"]))
    if !isRead { #expect(diagnostics.first?.hint == "run: chown root \(file)") }
  }

  @Test(
    .enabled(if: geteuid() == 0, "a link of another user takes root"),
    arguments: [(0, 1000, false), (1000, 1000, true), (0, 0, true)] as [(uid_t, uid_t, Bool)])
  func `an env_file of root is not read by a link that another user may have made`(
    owner: uid_t, user: uid_t, isRead: Bool
  ) {
    let file = folder.write("A=b\n", to: "e")
    chown(file, owner, 0)
    let home = folder.makeFolder("home")
    let link = folder.makeLink("home/e", to: "../e")
    chown(home, user, 0)
    lchown(link, user, 0)
    let diagnostics = load(
      "jobs:\n  a: {on: start, run: x, env_file: home/e, user: worker, inherit_env: false}\n")
    #expect(rows(diagnostics) == (isRead ? [] : ["2:36 unsafePermissions"]))
    if !isRead { #expect(diagnostics.first?.hint == "name the file itself") }
  }

  @Test(.enabled(if: geteuid() == 0, "a hard link in a folder of another user takes root"))
  func `an env_file of root is not read by another name in a folder of others`() {
    let file = folder.write("A=b\n", to: "e")
    let home = folder.makeFolder("home")
    folder.write("", to: "home/e")
    unlink(folder["home/e"])
    #expect(link(file, folder["home/e"]) == 0)
    chown(home, 1000, 0)
    let diagnostics = load(
      "jobs:\n  a: {on: start, run: x, env_file: home/e, user: worker, inherit_env: false}\n")
    #expect(rows(diagnostics) == ["2:36 unsafePermissions"])
  }

  @Test(arguments: [
    "user: worker, run: x", "user: worker, run: x, inherit_env: true",
    "user: worker, run: x, inherit_env: false", "user: worker, run: x, inherit_env: [LANG]",
    "user: root, run: x",
  ])
  func `whatever a job of another user inherits, the default too, is no finding`(keys: String) {
    #expect(load("jobs: {a: {on: start, \(keys)}}\n") == [])
  }
}
