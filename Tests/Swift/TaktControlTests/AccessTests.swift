import Foundation
import Testing

@testable import TaktControl
@testable import TaktCore

@Suite struct AccessTests {
  @Test(arguments: [
    "localhost | localhost", "localhost:80 | localhost", "LocalHost:80 | localhost",
    "127.0.0.1:8080 | 127.0.0.1", "[::1]:8080 | [::1]", "[::1] | [::1]", "a:b | -", ":80 | -",
    "[::1 | -", "[::1]x | -", "evil.example#127.0.0.1 | evil.example#127.0.0.1",
  ])
  func `the host of what a request asks for`(row: String) {
    let parts = row.components(separatedBy: " | ")
    #expect(AccessMiddleware.host(of: parts[0]) ?? "-" == parts[1])
  }

  @Test(arguments: [
    "8080 | 127.0.0.1:8080", "127.0.0.1:80 | 127.0.0.1:80", "[::1]:0 | ::1:0",
    "localhost:9 | 127.0.0.1:9", "*:9 | 0.0.0.0:9", ":80 | -", "::1:80 | -", "80x | -",
    "127.0.0.1 | -", "127.0.0.1:65536 | -", "[127.0.0.1]:1 | -", "host.example:80 | -", " | -",
  ])
  func `an address to listen on`(row: String) {
    let parts = row.components(separatedBy: " | ")
    let parsed = HTTPSettings.parse(parts[0].trimmingCharacters(in: .whitespaces))
    #expect(parsed.map { "\($0.host):\($0.port)" } ?? "-" == parts[1])
  }

  @Test func `a token is made for its owner alone, and known again`() throws {
    let path = NSTemporaryDirectory() + "takt-token-\(UUID().uuidString)"
    defer { unlink(path) }
    let token = try Token(path: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let text = try #require(try Token.read(path))
    #expect(text.count == 64)
    #expect(token.matches(text) && !token.matches(text.dropLast()) && !token.matches([]))
    #expect(try Token(path: path).matches(text))
    // Any user who can read it could use it.
    chmod(path, 0o640)
    #expect(throws: Token.FileError.self) { try Token(path: path) }
    chmod(path, 0o600)
    try Data("short\n".utf8).write(to: URL(fileURLWithPath: path))
    chmod(path, 0o600)
    #expect(throws: Token.FileError.self) { try Token(path: path) }
  }

  @Test func `a token is not read through a link`() throws {
    let path = NSTemporaryDirectory() + "takt-token-\(UUID().uuidString)"
    defer { unlink(path) }
    #expect(symlink("/etc/passwd", path) == 0)
    #expect(throws: Token.FileError.self) { try Token(path: path) }
  }

  @Test func `the page holds its style and its script, and its policy names both`() {
    let page = PageFiles.page
    let text = String(decoding: page.bytes, as: UTF8.self)
    #expect(!text.contains("/*STYLE*/") && !text.contains("/*SCRIPT*/"))
    #expect(page.policy.components(separatedBy: "'sha256-").count == 3)
    // Attributes that a policy without 'unsafe-inline' would block in the browser.
    #expect(!text.contains(" style=\"") && !text.contains(" onclick="))
    // One document that needs no other.
    #expect(!text.contains("src=\"http") && !text.contains("<link rel=\"stylesheet\""))
  }

  @Test func `the socket stands in the state folder, or by a short name in the runtime folder`() {
    #expect(
      SocketPlace.path(state: .folder("/var/lib/takt"), file: "/etc/jobs.yaml")
        == "/var/lib/takt/control.sock")
    let long = "/" + String(repeating: "x", count: 120)
    setenv("XDG_RUNTIME_DIR", "/run/user/7", 1)
    let path = SocketPlace.path(state: .folder(long), file: "/etc/jobs.yaml")
    #expect(path?.hasPrefix("/run/user/7/takt-") == true && path?.utf8.count ?? 200 < 108)
    #expect(path != SocketPlace.path(state: .none, file: "/etc/jobs.yaml"))
    if geteuid() == 0 {
      // The session of another user, whose name `sudo -E` passes on.
      let folder = NSTemporaryDirectory() + "takt-session-\(UUID().uuidString)"
      defer { rmdir(folder) }
      #expect(mkdir(folder, 0o700) == 0)
      setenv("XDG_RUNTIME_DIR", folder, 1)
      #expect(SocketPlace.path(state: .none, file: "/etc/jobs.yaml") != nil)
      chown(folder, 47_321, 47_321)
      #expect(SocketPlace.path(state: .none, file: "/etc/jobs.yaml") == nil)
    }
    unsetenv("XDG_RUNTIME_DIR")
    #expect(SocketPlace.path(state: .none, file: "/etc/jobs.yaml") == nil)
  }
}
