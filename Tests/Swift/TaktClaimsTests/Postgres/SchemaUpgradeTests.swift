import Dispatch
import Foundation
import Synchronization
import TaktCore
import TaktTime
import TestSupport
import Testing

@testable import TaktClaims

/// A database that an earlier version of takt has prepared, and daemons of that version beside new
/// ones.
@Suite(.enabled(if: TestServer.isInstalled, TestServer.hint)) struct SchemaUpgradeTests {
  private let server: TestServer

  init() throws { server = try TestServer.shared() }

  /// A database with the schema of an earlier version.
  private func database(of version: Int) throws -> String {
    let database = try server.makeDatabase()
    try server.run(Repository.text("Tests/Data/claims/schema-\(version).sql"), in: database)
    return database
  }

  /// A daemon that speaks an earlier version, word for word.
  private final class EarlierDaemon {
    private let connection: PostgresConnection
    private let version: Int
    private var number = 0
    private(set) var member: Int?

    init(_ url: String, version: Int) throws {
      self.version = version
      connection = try PostgresConnection.open(url, until: .now + .seconds(60))
    }

    @discardableResult
    func send(_ requests: String = "", facts: Bool = true) throws -> [String: Any] {
      number += 1
      let who = member.map { "\"member\":\($0)," } ?? ""
      let said =
        facts
        ? #""facts":{"machine":"old","host":"h","version":"0.1.0","labels":{"site":"east"},"#
          + #""lease":600000000000,"grace":5000000000,"clockOffset":0},"# : ""
      let batch =
        "{\"schema\":\(version),\"number\":\(number),\"wait\":\"60000\",\(who)\(said)\"leaves\":false,"
        + "\"requests\":[\(requests)]}"
      let text = try connection.run(
        PostgresSchema.statement, ["default", batch], until: .now + .seconds(60))
      let reply = try JSONSerialization.jsonObject(with: Data((text ?? "").utf8))
      let object = reply as? [String: Any] ?? [:]
      member = object["member"] as? Int ?? member
      return object
    }

    func answers(_ requests: String) throws -> [String] {
      let answers = try send(requests)["answers"] as? [[String: Any]] ?? []
      return answers.map { $0["is"] as? String ?? "" }
    }
  }

  private static func claim(_ slot: Int64, overlap: String = "allow") -> String {
    "{\"do\":\"claim\",\"job\":\"a\",\"slot\":\(slot),\"schedule\":7,\"overlap\":\"\(overlap)\","
      + "\"atLeastOnce\":true,\"validUntil\":9000000000000000000}"
  }

  @Test(arguments: 1..<PostgresSchema.version)
  func `an earlier daemon and a new one share slots after either upgrades the schema`(version: Int)
    throws
  {
    let database = try database(of: version)
    let old = try EarlierDaemon(server.url(database), version: version)
    try old.send(#"{"do":"declare","job":"a","schedule":7,"changed":false}"#)
    let oldMember = try #require(old.member)
    let base = SystemTimeSource().wall.milliseconds / 1000 * 1000 - 10_000
    #expect(try old.answers(Self.claim(base)) == ["granted"])
    // The new one upgrades the schema, and finds what the earlier one has done.
    let job = try #require(JobName("a"))
    let new = SynchronousDriver(server.url(database))
    func claim(_ slot: Int64) -> ClaimRequest {
      .claim(
        SlotClaim(
          job: job, slot: WallInstant(milliseconds: slot), schedule: 7, overlap: .allow,
          validUntil: WallInstant(nanoseconds: .max)))
    }
    var facts = MemberFacts(machine: "new", lease: .seconds(600), grace: .seconds(5))
    facts.api = "http://new.example:8080"
    let joined = try new.perform(
      ClaimBatch(
        number: 1, member: nil, facts: facts,
        requests: [
          .declare(job, schedule: 7, isChanged: false), claim(base), claim(base + 1000),
        ]))
    #expect(joined.answers.count == 3 && joined.answers[1] == .taken)
    #expect(joined.answers[0] == .done && joined.answers[2] != .taken)
    #expect(joined.news?.members.map(\.facts.machine) == ["old", "new"])
    #expect(joined.news?.members.map(\.facts.api) == [nil, "http://new.example:8080"])
    // The earlier one continues as the same member, and knows nothing of addresses.
    #expect(
      try old.answers([Self.claim(base + 1000), Self.claim(base + 2000)].joined(separator: ","))
        == ["taken", "granted"])
    #expect(old.member == oldMember)
    let news = try old.send()["news"] as? [String: Any]
    #expect((news?["members"] as? [Any])?.count == 2)
    #expect(
      try new.perform(
        ClaimBatch(number: 2, member: joined.member, facts: facts, requests: [claim(base + 2000)])
      ).answers == [.taken])
    // One that starts now joins as well.
    let late = try EarlierDaemon(server.url(database), version: version)
    try late.send()
    #expect(late.member ?? 0 > oldMember)
    // A slot that waits in a queue is one of the open ones to it.
    let wait = Self.claim(base + 3000, overlap: "queue")
    #expect(try old.answers(wait) == ["busy"])
    let open = try late.send()["news"] as? [String: Any]
    #expect((open?["open"] as? [Any])?.count == 1)
    #expect(
      try server.run(
        "SELECT string_agg(number::text, ' ' ORDER BY number) FROM takt.version", in: database)
        == (1...PostgresSchema.version).map(String.init).joined(separator: " "))
  }

  @Test func `a request that says the name of an overlap alone is read as one with its answers`()
    throws
  {
    let database = try server.makeDatabase()
    try server.run(PostgresSchema.sql, in: database)
    let all = Overlap.allCases.reduce(into: Overlap.Answers()) { $0.formUnion($1.answers) }
    // A later policy comes with its answers: machines that send a name alone do not know it.
    for overlap in [Overlap.skip, .queue, .replace, .allow] {
      for name in all.names {
        let does = try server.run(
          "SELECT takt.does('{\"overlap\": \"\(overlap.rawValue)\"}', '\(name)')", in: database)
        #expect(does == (overlap.answers.names.contains(name) ? "t" : "f"), "\(overlap) \(name)")
      }
    }
  }

  @Test(arguments: 1..<PostgresSchema.version)
  func `an upgrade and daemons at work do not stand in each other's way`(version: Int) throws {
    let database = try database(of: version)
    let failures = Mutex<[String]>([])
    let isOver = Atomic<Bool>(false)
    let group = DispatchGroup()
    let url = server.url(database)
    let base = SystemTimeSource().wall.milliseconds - 1_000_000
    for client in 0..<3 {
      DispatchQueue(label: "client \(client)").async(group: group) {
        do {
          let daemon = try EarlierDaemon(url, version: version)
          try daemon.send(#"{"do":"declare","job":"a","schedule":7,"changed":false}"#)
          var count: Int64 = 0
          while !isOver.load(ordering: .relaxed) {
            count += 1
            try daemon.send(Self.claim(base + count * 3 + Int64(client)), facts: count % 2 == 0)
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    // An existing schema is installed again each time.
    for _ in 0..<20 { try server.run(PostgresSchema.sql, in: database) }
    isOver.store(true, ordering: .relaxed)
    group.wait()
    #expect(failures.withLock(\.self) == [])
  }
}
