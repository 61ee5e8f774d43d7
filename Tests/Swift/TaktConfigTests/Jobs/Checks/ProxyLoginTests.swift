import Foundation
import TaktCore
import Testing

@testable import TaktConfig

/// `scheduler.http.proxy`, and the tokens beside it.
@Suite struct ProxyLoginTests {
  private func loading(_ http: String) -> LoadedJobs {
    load("scheduler: {http: {listen: 8080, \(http)}}\njobs: {a: {every: 1h, run: x}}\n")
  }

  @Test func `the table of users says what each may do`() throws {
    let loaded = loading(
      "proxy: {header: X-Remote-User, secret_file: secret, users: {anna: all, Bob Smith: operate}}")
    #expect(loaded.diagnostics.isEmpty)
    let proxy = try #require(loaded.snapshot?.settings.http?.proxy)
    #expect(proxy.header == "X-Remote-User" && proxy.socket == nil && proxy.user == nil)
    let secret = try #require(proxy.secretFile)
    #expect(secret.hasPrefix("/") && secret.hasSuffix("/secret"))
    #expect(proxy.right(of: "anna") == .all && proxy.right(of: "Bob Smith") == .operate)
    #expect(proxy.right(of: "Anna") == .read && proxy.right(of: "eve") == .read)
  }

  @Test func `others may be refused`() throws {
    let loaded = loading("proxy: {secret_file: s, others: none, users: {anna: read}}")
    let proxy = try #require(loaded.snapshot?.settings.http?.proxy)
    #expect(proxy.header == "Remote-User")
    #expect(proxy.right(of: "anna") == .read && proxy.right(of: "eve") == nil)
  }

  /// `HTTP | CODE | MESSAGE`
  @Test(arguments: [
    "proxy: {users: {a: all}} | missingKey | 'proxy' needs 'socket' or 'secret_file'",
    "proxy: {socket: /run/p} | missingKey | 'socket' needs 'user'",
    "proxy: {secret_file: s, user: root} | missingKey | 'user' needs 'socket'",
    "proxy: {socket: /run/p, user: no-such-user} | unknownAccount | there is no user 'no-such-user'",
    "proxy: {secret_file: s, header: Authorization} | badValue | 'Authorization' cannot be the header of a user",
    "proxy: {secret_file: s, header: Sec-User} | badValue | 'Sec-User' cannot be the header of a user",
    "proxy: {secret_file: s, header: takt-proxy-secret} | badValue | 'takt-proxy-secret' cannot be the header of a user",
    "proxy: {secret_file: s, header: 'a b'} | badValue | 'a b' cannot be the header of a user",
    "proxy: {secret_file: s, header: Remote_User} | badValue | 'Remote_User' cannot be the header of a user",
    "proxy: {secret_file: s, users: {'a,b': all}} | badName | 'a,b' is not a valid name of a user",
    "proxy: {secret_file: s, users: {' a': all}} | badName | ' a' is not a valid name of a user",
    "operate_token_file: .takt/token | badValue | 'operate_token_file' names the file of the token that may do everything",
    "token_file: t, proxy: {secret_file: ./t} | badValue | 'secret_file' and 'token_file' name the same file",
    "read_token_file: r, operate_token_file: r | badValue | 'operate_token_file' and 'read_token_file' name the same file",
    "operate_token_file: r, proxy: {secret_file: r} | badValue | 'secret_file' and 'operate_token_file' name the same file",
  ])
  func `what would let in others is refused`(row: String) {
    let cells = row.components(separatedBy: " | ")
    let loaded = loading(cells[0])
    #expect(loaded.diagnostics.map(\.code.rawValue) == [cells[1]], "\(loaded.diagnostics)")
    #expect(loaded.diagnostics.map(\.message) == [cells[2]])
    #expect(loaded.snapshot == nil)
  }

  @Test func `a job that runs as the proxy's user is a warning`() {
    let loaded = load(
      """
      scheduler: {http: {listen: 8080, proxy: {socket: /run/p, user: worker}}}
      jobs:
        a: {every: 1h, run: x, user: worker}
        b: {every: 1h, run: x}
        c: {every: 2h, run: x, user: 1000}
      """)
    #expect(rows(loaded.diagnostics) == ["3:32 suspicious", "5:32 suspicious"])
    #expect(loaded.diagnostics.first?.message.contains("can log in as any user") == true)
    #expect(loaded.snapshot?.jobs.count == 3)
  }

  @Test func `a path that no socket can have is refused`() {
    let path = "/" + String(repeating: "x", count: 107)
    let loaded = loading("proxy: {socket: \(path), user: root}")
    #expect(loaded.diagnostics.map(\.code) == [.badValue])
  }
}
