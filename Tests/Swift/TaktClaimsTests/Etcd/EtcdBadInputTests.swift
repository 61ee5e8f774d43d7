import Foundation
import TaktCore
import TaktTransfer
import TestSupport
import Testing

@testable import TaktClaims

/// Messages for mistakes with etcd, and if waiting helps.
@Suite struct EtcdBadInputTests {
  private static let patience = Duration.seconds(20)

  private static func failure(
    _ access: EtcdAccess, _ cluster: String = "default"
  ) throws -> ClaimFailure {
    try #require(SynchronousDriver(access, cluster: cluster, deadline: patience).failure())
  }

  private static func access(_ port: Int, scheme: String = "http") -> EtcdAccess {
    EtcdAccess(endpoints: [TransferAddress(scheme: scheme, host: "127.0.0.1", port: port)])
  }

  @Test func `nothing listens there`() throws {
    let port = try Loopback.freePort()
    let failure = try Self.failure(Self.access(port))
    #expect(failure.description.hasPrefix("Cannot connect to etcd at http://127.0.0.1:\(port): "))
    #expect(
      failure.description.hasSuffix(
        " Check the address, the network, and that the server is running."))
    #expect(!failure.isPermanent)
  }

  @Test func `the host does not exist`() throws {
    let failure = try Self.failure(
      EtcdAccess(endpoints: [TransferAddress(scheme: "https", host: "host.invalid", port: 1)]))
    #expect(failure.description.hasPrefix("Cannot connect to etcd at https://host.invalid:1: "))
    #expect(!failure.isPermanent, "name servers may be away for a while")
  }

  private static func http(_ body: String, _ head: String = "", status: Int = 200) -> String {
    "HTTP/1.1 \(status) OK\r\nContent-Length: \(body.utf8.count)\r\n\(head)"
      + "Connection: close\r\n\r\n\(body)"
  }

  @Test(arguments: [
    "220 mail ready\r\n", http("<html>"), http("{}"), http("nothing", status: 404),
    http(#"{"etcdserver":"new"}"#),
  ])
  func `the server is not etcd`(greeting: String) throws {
    let listener = try Listener(saying: greeting)
    #expect(
      try Self.failure(Self.access(listener.port))
        == ClaimFailure(
          "The server at http://127.0.0.1:\(listener.port) is not etcd. Check the host, the port, "
            + "and whether it must be http:// or https://.", isPermanent: true))
  }

  @Test(.enabled(if: TestServer.isInstalled, TestServer.hint))
  func `PostgreSQL in etcd's place is named`() throws {
    let port = try TestServer.shared().port
    let failure = try Self.failure(Self.access(port))
    #expect(
      failure.description.hasPrefix(
        "The server at http://127.0.0.1:\(port) closed the connection: "),
      "\(failure)")
    #expect(
      failure.description.hasSuffix(" Check that it is etcd, and whether it must be https://."))
  }

  @Test func `etcd is too old`() throws {
    let listener = try Listener(
      saying: Self.http(#"{"etcdserver":"3.3.27"}"#, "Date: Mon, 23 Nov 2026 17:51:50 GMT\r\n"))
    #expect(
      try Self.failure(Self.access(listener.port))
        == ClaimFailure(
          "etcd at http://127.0.0.1:\(listener.port) is version 3.3.27; takt requires 3.4 or newer.",
          isPermanent: true))
  }

  @Test func `a proxy takes the time away`() throws {
    let listener = try Listener(saying: Self.http(#"{"etcdserver":"3.5.1"}"#))
    #expect(
      try Self.failure(Self.access(listener.port))
        == ClaimFailure(
          "The answers of etcd at http://127.0.0.1:\(listener.port) have no header 'Date', from "
            + "which takt reads its clock. Connect to etcd itself, or let the proxy pass it on.",
          isPermanent: true))
  }

  @Test func `with several endpoints it is permanent if all of them are`() throws {
    let wrong = try Listener(saying: "220 mail ready\r\n")
    var access = Self.access(wrong.port)
    access.endpoints += Self.access(try Loopback.freePort()).endpoints
    let failure = try Self.failure(access)
    #expect(failure.description.hasPrefix("Cannot connect to etcd at "))
    #expect(!failure.isPermanent)
  }

  @Test func `libcurl is not installed`() {
    let problem = EtcdProblem.noLibrary("libcurl.so.4: cannot open shared object file")
    #expect(
      problem.failure(patience: .seconds(1))
        == ClaimFailure(
          "libcurl is not available (libcurl.so.4: cannot open shared object file). Install it, on "
            + "Debian with `apt-get install libcurl4`.", isPermanent: true))
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `records of a later version are left alone`() throws {
    let server = try EtcdServer.shared()
    let cluster = "later-\(UInt64.random(in: 0 ... .max))"
    let value = EtcdMessage.base64(
      #"{"version":2,"stamp":1,"lastMember":0,"lastToken":0,"members":[]}"#)
    try server.call(
      "/v3/kv/put",
      #"{"key":"\#(EtcdMessage.base64("/takt/\(cluster)/meta"))","value":"\#(value)"}"#)
    let failure = try Self.failure(server.access, cluster)
    #expect(
      failure.description.hasPrefix(
        "The record '/takt/\(cluster)/meta' in etcd at http://127.0.0.1:\(server.port) is one that "
          + "this takt cannot read. Upgrade takt"))
    #expect(failure.isPermanent)
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `etcd takes no transactions of this size`() throws {
    let server = try EtcdServer(["--max-txn-ops", "1"])
    let failure = try Self.failure(server.access)
    #expect(
      failure.description.hasSuffix(
        "refuses the size of takt's transactions. Do not set --max-txn-ops below its default."))
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `etcd has no space left`() throws {
    let server = try EtcdServer(["--quota-backend-bytes", "200000"])
    // It counts what is on its disk, which is a little later; and refuses what is small only after
    // it has refused something large.
    for count in [100_000, 1] {
      let value = EtcdMessage.base64(String(repeating: "x", count: count))
      var answer = ""
      while !answer.contains("space exceeded") {
        answer = try server.call(
          "/v3/kv/put", #"{"key":"\#(EtcdMessage.base64("x"))","value":"\#(value)"}"#)
      }
    }
    let failure = try Self.failure(server.access)
    #expect(failure.description.contains("has no space left and refuses writes. Compact"))
    #expect(!failure.isPermanent)
  }

  // MARK: Users

  /// A server with the users `takt`, who may do all in cluster `mine`, and `root`.
  private static func guardedServer() throws -> EtcdServer {
    let server = try EtcdServer()
    let prefix = "/takt/mine/"
    for (path, body) in [
      ("user/add", #"{"name":"root","password":"top"}"#),
      ("user/add", #"{"name":"takt","password":"right"}"#),
      ("role/add", #"{"name":"root"}"#), ("role/add", #"{"name":"jobs"}"#),
      ("user/grant", #"{"user":"root","role":"root"}"#),
      ("user/grant", #"{"user":"takt","role":"jobs"}"#),
      (
        "role/grant",
        #"{"name":"jobs","perm":{"permType":"READWRITE","key":"\#(EtcdMessage.base64(prefix))","#
          + #""range_end":"\#(EtcdMessage.base64(EtcdMessage.end(of: prefix)))"}}"#
      ), ("enable", "{}"),
    ] {
      try server.call("/v3/auth/\(path)", body)
    }
    return server
  }

  private static func access(
    _ server: EtcdServer, _ user: String, _ password: String
  ) -> EtcdAccess {
    var access = server.access
    access.user = user
    access.password = { () throws(EtcdAccess.NoPassword) in password }
    return access
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `users, passwords and permissions`() throws {
    let server = try Self.guardedServer()
    let place = "etcd at http://127.0.0.1:\(server.port)"
    #expect(
      try Self.failure(server.access, "mine")
        == ClaimFailure(
          "\(place) requires a user. Add 'username' and 'password'.", isPermanent: true))
    for (user, password) in [("takt", "wrong"), ("nobody", "right")] {
      #expect(
        try Self.failure(Self.access(server, user, password), "mine")
          == ClaimFailure(
            "\(place) rejects the password of user '\(user)'. Correct 'username' or the file or "
              + "variable of 'password'.", isPermanent: true))
    }
    #expect(
      try Self.failure(Self.access(server, "takt", "right"), "other")
        == ClaimFailure(
          "\(place) denies user 'takt' access to '/takt/other/'. Grant it to a role of the user: "
            + "`etcdctl role grant-permission ROLE --prefix=true readwrite /takt/other/`.",
          isPermanent: true))
    var access = Self.access(server, "takt", "right")
    let driver = SynchronousDriver(access, cluster: "mine")
    let member = try driver.perform(.joining).member
    #expect(member != nil)
    // A change of the users ends logins: takt logs in again.
    let token = try server.call("/v3/auth/authenticate", #"{"name":"root","password":"top"}"#)
    let root = try JSONDecoder().decode(EtcdMessage.Token.self, from: Data(token.utf8)).token
    try server.call("/v3/auth/user/add", #"{"name":"more","password":"x"}"#, token: root)
    try server.call("/v3/auth/user/changepw", #"{"name":"takt","password":"right"}"#, token: root)
    #expect(try driver.perform(ClaimBatch(number: 2, member: member, facts: nil)).member == member)
    access.password = { () throws(EtcdAccess.NoPassword) in
      throw EtcdAccess.NoPassword("the file '/pw' is not there")
    }
    #expect(
      try Self.failure(access, "mine")
        == ClaimFailure(
          "The password for etcd is not available: the file '/pw' is not there.",
          isPermanent: true))
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `one who may only read does not join`() throws {
    let server = try Self.guardedServer()
    let token = try server.call("/v3/auth/authenticate", #"{"name":"root","password":"top"}"#)
    let root = try JSONDecoder().decode(EtcdMessage.Token.self, from: Data(token.utf8)).token
    let prefix = "/takt/mine/"
    try server.call("/v3/auth/role/add", #"{"name":"looks"}"#, token: root)
    try server.call(
      "/v3/auth/role/grant",
      #"{"name":"looks","perm":{"permType":"READ","key":"\#(EtcdMessage.base64(prefix))","#
        + #""range_end":"\#(EtcdMessage.base64(EtcdMessage.end(of: prefix)))"}}"#, token: root)
    try server.call("/v3/auth/user/add", #"{"name":"guest","password":"g"}"#, token: root)
    try server.call("/v3/auth/user/grant", #"{"user":"guest","role":"looks"}"#, token: root)
    let access = Self.access(server, "guest", "g")
    // Before takt starts it asks whether it may write.
    let outcome = SynchronousDriver(access, cluster: "mine", deadline: Self.patience).outcome(
      of: ClaimBatch(number: 0, member: nil, facts: nil))
    guard case .failed(0, let failure) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.isPermanent && failure.description.contains("denies user 'guest' access"))
    // To look is enough for `takt verify`.
    _ = try EtcdHistory(access, cluster: "mine")
  }

  // MARK: TLS

  private struct Certificate {
    var folder: String
    var pem: String
    var key: String

    init() throws {
      folder = "/tmp/takt-etcd-cert-\(getpid())-\(UInt32.random(in: 0...9999))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      (pem, key) = ("\(folder)/cert.pem", "\(folder)/key.pem")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-days", "2", "-subj", "/CN=takt", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
        "-out", pem,
      ]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
  }

  @Test(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint))
  func `certificates of servers and of takt`() throws {
    let (own, other) = (try Certificate(), try Certificate())
    defer {
      own.remove()
      other.remove()
    }
    let server = try EtcdServer([
      "--cert-file", own.pem, "--key-file", own.key, "--client-cert-auth", "--trusted-ca-file",
      own.pem,
    ])
    let place = "https://127.0.0.1:\(server.port)"
    var access = server.access
    access.authority = own.pem
    access.certificate = (own.pem, own.key)
    #expect(try SynchronousDriver(access).perform(.joining).member != nil)

    access.authority = other.pem
    let failure = try Self.failure(access)
    #expect(failure.description.hasPrefix("TLS with etcd at \(place) fails: "))
    #expect(
      failure.description.hasSuffix(" Check 'ca', 'cert' and 'key', and the server's certificate."))
    #expect(failure.isPermanent)

    access.authority = "\(own.folder)/none.pem"
    #expect(
      try Self.failure(access)
        == ClaimFailure(
          "Cannot read '\(own.folder)/none.pem'. Check that it exists and its permissions.",
          isPermanent: true))

    access.authority = own.pem
    access.certificate = ("\(own.folder)/none.pem", own.key)
    #expect(try Self.failure(access).description.hasPrefix("TLS with etcd at \(place) fails: "))
    access.certificate = nil
    let refused = try Self.failure(access).description
    #expect(
      refused.hasPrefix("TLS with etcd at \(place) fails: ")
        || refused.hasSuffix("etcd, and whether it requires 'cert' and 'key'."), "\(refused)")

    // Without TLS its own answer names it.
    access.endpoints[0].scheme = "http"
    #expect(
      try Self.failure(access).description.hasSuffix("etcd, and whether it must be https://."))
  }
}
