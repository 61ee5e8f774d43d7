import Foundation
import Glibc
import TaktCore
import Testing

@Suite struct IdentityTests {
  private static let isRoot = geteuid() == 0

  /// Users of this machine: `nobody`, and one that is in more than one group if there is one.
  private static func users() -> [String] {
    let members = ((try? String(contentsOfFile: "/etc/group", encoding: .utf8)) ?? "")
      .split(separator: "\n").compactMap { $0.split(separator: ":").dropFirst(3).first }
      .flatMap { $0.split(separator: ",") }.map(String.init)
    return (["nobody"] + members.prefix(1)).filter { getpwnam($0) != nil }
  }

  private static func output(_ command: [String]) throws -> String {
    try Children.lines(.argv(command)).joined(separator: " ")
  }

  @Test(.enabled(if: isRoot, "switching users takes root"))
  func `a child is its user in uid, gid and groups`() throws {
    for user in Self.users() {
      let expected = try Self.output(["id", user])
      let lines = try Children.lines(
        .shell("id; env | grep -E '^(HOME|LOGNAME|USER|SHELL)=' | sort")
      ) {
        $0.identity.user = user
      }
      #expect(lines.first == expected)
      let entry = try #require(getpwnam(user)).pointee
      #expect(
        lines.dropFirst() == [
          "HOME=\(String(cString: entry.pw_dir))", "LOGNAME=\(user)",
          "SHELL=\(String(cString: entry.pw_shell))", "USER=\(user)",
        ])
      let byNumber = try Children.lines(.argv(["id"])) { $0.identity.user = "\(entry.pw_uid)" }
      #expect(byNumber == [expected])
    }
  }

  @Test(.enabled(if: isRoot, "switching users takes root"))
  func `all of a child's identities are the user's, and it cannot go back`() throws {
    let lines = try Children.lines(
      .shell("grep -E '^(Uid|Gid|Groups|CapEff)' /proc/$$/status; cat /etc/shadow || echo refused")
    ) { $0.identity = UserAndGroup(user: "nobody", group: "daemon") }
    let entry = try #require(getpwnam("nobody")).pointee
    let gid = try #require(getgrnam("daemon")).pointee.gr_gid
    let ids = [String](repeating: "\(entry.pw_uid)", count: 4).joined(separator: "\t")
    let gids = [String](repeating: "\(gid)", count: 4).joined(separator: "\t")
    #expect(
      lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
        "Uid:\t\(ids)", "Gid:\t\(gids)", "Groups:\t\(gid)", "CapEff:\t0000000000000000", "refused",
      ])
  }

  @Test(.enabled(if: isRoot, "switching users takes root"))
  func `a job's own variables stand above those of the user`() throws {
    let lines = try Children.lines(.shell("echo $HOME $USER")) {
      $0.identity.user = "nobody"
      $0.environment = ["HOME": "/srv"]
    }
    #expect(lines == ["/srv nobody"])
  }

  @Test(.enabled(if: isRoot, "switching users takes root"))
  func `another user reads the secret that is given as a file, and its standard input`() throws {
    let file = NSTemporaryDirectory() + "takt-\(UUID().uuidString)"
    _ = FileManager.default.createFile(
      atPath: file, contents: Data("key\n".utf8), attributes: [.posixPermissions: 0o600])
    defer { try? FileManager.default.removeItem(atPath: file) }
    let lines = try Children.lines(.shell("cat $S; echo; cat; cat \(file) || echo refused")) {
      $0.identity.user = "nobody"
      $0.stdin = "text\n"
      $0.secrets = ["S": Secret(.file(file), delivery: .file)]
    }
    #expect(lines == ["key", "text", "refused"])
  }

  @Test(.enabled(if: isRoot, "switching users takes root"))
  func `the folder is entered as the user`() throws {
    let folder = NSTemporaryDirectory() + "takt-\(UUID().uuidString)"
    mkdir(folder, 0o700)
    defer { rmdir(folder) }
    #expect(
      try Children.failure(.shell("true")) {
        $0.identity.user = "nobody"
        $0.directory = folder
      } == "cwd EACCES")
  }

  @Test func `a user or group that does not exist stops the start`() throws {
    #expect(
      try Children.failure(.shell("true")) { $0.identity.user = "no-such-user" } == "user ENOENT")
    #expect(
      try Children.failure(.shell("true")) { $0.identity.group = "no-such-group" } == "user ENOENT")
  }

  @Test(.enabled(if: !isRoot, "root may be anybody"))
  func `who may not become the user is not run as somebody else`() throws {
    #expect(try Children.failure(.shell("true")) { $0.identity.user = "root" } == "user EPERM")
  }

  @Test func `a job may name the user that takt is already`() throws {
    let own = try #require(getpwuid(geteuid())).pointee
    let name = String(cString: own.pw_name)
    #expect(
      try Children.lines(.shell("id -un; echo $HOME")) { $0.identity.user = name }
        == [name, String(cString: own.pw_dir)])
  }
}
