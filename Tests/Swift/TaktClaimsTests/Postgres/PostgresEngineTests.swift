import Foundation
import Synchronization
import TaktCore
import TaktTime
import TestSupport
import Testing

@testable import TaktClaims

/// Cases that only a server of many clients shows.
@Suite(.enabled(if: TestServer.isInstalled, TestServer.hint)) struct PostgresEngineTests {
  private let server: TestServer
  private let facts = MemberFacts(machine: "one", lease: .seconds(600), grace: .seconds(5))

  init() throws { server = try TestServer.shared() }

  private func name(_ text: String) throws -> JobName { try #require(JobName(text)) }

  @Test func `machines that meet an empty database at once all install the schema`() throws {
    let database = try server.makeDatabase()
    let url = server.url(database)
    try onThreads(6) { _ in
      let reply = try SynchronousDriver(url).perform(.joining)
      #expect(reply.member != nil)
    }
  }

  /// Two slots of each job, a millisecond apart, in an order by chance.
  private static func wishes(_ jobs: [JobName], from first: Int64) -> [SlotClaim] {
    (jobs + jobs).enumerated().map { index, job in
      SlotClaim(
        job: job, slot: WallInstant(milliseconds: first + Int64(index % 2)), schedule: 1,
        overlap: .allow, group: index % 3 == 0 ? "g" : "h", groupMax: 1000,
        validUntil: WallInstant(nanoseconds: .max))
    }.shuffled()
  }

  @Test func `each slot is given to one machine, and no two batches wait for each other`() throws {
    let url = server.url()
    let cluster = "crowd \(UInt64.random(in: 0 ... .max))"
    let jobs = try (0..<5).map { try name("job\($0)") }
    let granted = Mutex<[ClaimToken: String]>([:])
    let (clients, rounds) = (4, 25)
    let unfinished = Mutex<[ClaimToken]>([])
    let facts = facts
    let base = SystemTimeSource().wall.milliseconds - 10_000
    try onThreads(clients) { client in
      let driver = SynchronousDriver(url, cluster: cluster)
      let joined = try driver.perform(
        ClaimBatch(
          number: 1, member: nil, facts: facts,
          requests: jobs.map { .declare($0, schedule: 1, isChanged: false) }))
      for round in 1...rounds {
        // Every client wants the same slots, in an order of its own.
        let wishes = Self.wishes(jobs, from: base + Int64(round * 2))
        let reply = try driver.perform(
          ClaimBatch(
            number: UInt64(round * 2), member: joined.member, facts: round % 5 == 0 ? facts : nil,
            requests: wishes.map { .claim($0) }
              + jobs.shuffled().map { .declare($0, schedule: 1, isChanged: false) }))
        for case .granted(let token, _) in reply.answers {
          unfinished.withLock { $0.append(token) }
        }
        // The first one ends the claims of all.
        let ends = unfinished.withLock { Array($0.shuffled().prefix(20)) }
        let ended = try driver.perform(
          ClaimBatch(
            number: UInt64(round * 2 + 1), member: joined.member, facts: nil,
            requests: ends.map { .end($0, .succeeded, reason: "") }))
        #expect(ended.answers.allSatisfy { $0 == .done })
        for (wish, answer) in zip(wishes, reply.answers) {
          guard case .granted(let token, 1) = answer else {
            #expect(answer == .taken)
            continue
          }
          let slot = "\(wish.job) \(wish.slot.milliseconds - base)"
          let old = granted.withLock { granted in
            let old = granted.first { $0.value == slot && $0.key != token }
            granted[token] = slot
            return old
          }
          #expect(old == nil, "\(slot) was given twice")
        }
      }
    }
    let slots = granted.withLock { Set($0.values) }
    let wanted = (1...rounds).flatMap { round in
      jobs.enumerated().flatMap { index, job in
        [index, index + jobs.count].map { "\(job) \(round * 2 + $0 % 2)" }
      }
    }
    #expect(slots == Set(wanted))
    let log = try String(contentsOfFile: "\(server.folder)/log", encoding: .utf8)
    #expect(!log.contains("deadlock detected"))
  }

  @Test func `a connection that the server has ended is opened again`() throws {
    let database = try server.makeDatabase()
    let driver = SynchronousDriver(server.url(database))
    let member = try driver.perform(.joining).member
    for number in 2...UInt64(4) {
      let ended = try server.run(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = '\(database)' AND application_name = 'takt'
        """)
      #expect(ended == "1")
      #expect(
        try driver.perform(ClaimBatch(number: number, member: member, facts: nil)).member == member)
    }
  }

  /// A firewall that has forgotten a connection, while both sides believe in it.
  @Test(arguments: [false, true])
  func `an end that goes into a connection that is cut in half is said again`(
    isHeard: Bool
  ) throws {
    let relay = try Relay(to: "\(server.folder)/.s.PGSQL.\(server.port)")
    let database = try server.makeDatabase()
    let driver = SynchronousDriver(
      "postgresql://takt@127.0.0.1:\(relay.port)/\(database)", deadline: .seconds(2))
    let member = try driver.perform(.joining).member
    let slot = SystemTimeSource().wall
    let job = try #require(JobName("job"))
    let claim = SlotClaim(
      job: job, slot: slot, schedule: 7, isAtLeastOnce: true,
      validUntil: WallInstant(nanoseconds: .max))
    func batch(_ number: UInt64, _ requests: [ClaimRequest]) -> ClaimBatch {
      ClaimBatch(number: number, member: member, facts: nil, requests: requests)
    }
    let granted = try driver.perform(
      batch(2, [.declare(job, schedule: 7, isChanged: false), .claim(claim)]))
    guard case .granted(let token, attempt: 1)? = granted.answers.last else {
      throw TestServerFailure("\(granted.answers)")
    }
    let end = ClaimRequest.end(token, .succeeded, reason: "exit(0)")
    // Its answer may be lost.
    if isHeard { #expect(try driver.perform(batch(3, [end])).answers == [.done]) }
    relay.cutInHalf()
    guard case .failed = driver.outcome(of: batch(4, [end])) else {
      throw TestServerFailure("an answer through a connection that is cut")
    }
    #expect(try driver.perform(batch(5, [end])).answers == [.done])
    let other = SynchronousDriver(server.url(database))
    let another = try other.perform(.joining).member
    let wish = ClaimBatch(
      number: 2, member: another, facts: nil,
      requests: [.declare(job, schedule: 7, isChanged: false), .claim(claim)])
    #expect(try other.perform(wish).answers == [.done, .taken])
  }

  @Test func `the first host that answers is used, behind one that never does`() throws {
    let listener = try Listener()
    let url =
      "postgresql://takt@/postgres?host=127.0.0.1,\(server.folder)"
      + "&port=\(listener.port),\(server.port)&connect_timeout=2"
    #expect(try SynchronousDriver(url).perform(.joining).member != nil)
  }

  @Test func `the first host that answers is used, behind one that hangs up`() throws {
    // As a proxy does whose server is away.
    let listener = try Listener(saying: "", closes: true)
    let url =
      "postgresql://takt@/postgres?host=127.0.0.1,\(server.folder)"
      + "&port=\(listener.port),\(server.port)&target_session_attrs=read-write"
    #expect(try SynchronousDriver(url).perform(.joining).member != nil)
  }

  @Test func `the URL's application name prevails`() throws {
    let database = try server.makeDatabase()
    let driver = SynchronousDriver(server.url(database) + "&application_name=mine")
    _ = try driver.perform(.joining)
    let names = try server.run(
      """
      SELECT string_agg(application_name, ',') FROM pg_stat_activity
      WHERE datname = '\(database)'
      """)
    #expect(names == "mine")
    driver.engine.close()
  }

  @Test func `a batch that waits for a lock fails in time, and says why`() throws {
    let database = try server.makeDatabase()
    let url = server.url(database)
    let job = try name("a")
    let declare = ClaimRequest.declare(job, schedule: 1, isChanged: false)
    let joined = try SynchronousDriver(url).perform(
      ClaimBatch(number: 1, member: nil, facts: facts, requests: [declare]))
    let other = try PostgresConnection.open(url, until: .now + .seconds(60))
    try other.run(script: "BEGIN", until: .now + .seconds(60))
    try other.run(script: "SELECT FROM takt.job FOR UPDATE", until: .now + .seconds(60))
    let driver = SynchronousDriver(url, deadline: .seconds(1))
    #expect(throws: DriverFailure.self) {
      try driver.perform(
        ClaimBatch(number: 2, member: joined.member, facts: nil, requests: [declare]))
    }
    try other.run(script: "ROLLBACK", until: .now + .seconds(60))
    let patient = SynchronousDriver(url)
    let reply = try patient.perform(
      ClaimBatch(number: 3, member: joined.member, facts: nil, requests: [declare]))
    #expect(reply.answers == [.done])
  }

  @Test func `where the schema was dropped no fence and no member comes again`() throws {
    let database = try server.makeDatabase()
    let driver = SynchronousDriver(server.url(database))
    let slot = SystemTimeSource().wall
    func claim() throws -> (member: MemberID, token: ClaimToken) {
      let claim = SlotClaim(
        job: try name("a"), slot: slot, schedule: 1, validUntil: slot + .seconds(60))
      let reply = try driver.perform(
        ClaimBatch(
          number: 1, member: nil, facts: facts,
          requests: [.declare(claim.job, schedule: 1, isChanged: false), .claim(claim)]))
      guard case .granted(let token, _)? = reply.answers.last else {
        throw ClaimFailureFound(answers: reply.answers)
      }
      return (try #require(reply.member), token)
    }
    let before = try claim()
    try server.run("DROP SCHEMA takt CASCADE", in: database)
    // A process that continues under its old membership is not known.
    let old = ClaimBatch(number: 2, member: before.member, facts: facts)
    #expect(try driver.perform(old).member == nil)
    let after = try claim()
    #expect(after.token > before.token && after.member > before.member)
  }

  private struct ClaimFailureFound: Error { let answers: [ClaimAnswer] }

  @Test func `clusters of one database do not see each other`() throws {
    let engines = try (0..<2).map { _ in try PostgresTestEngine(server.url()) }
    let claim = SlotClaim(
      job: try name("a"), slot: engines[0].now, schedule: 1,
      validUntil: engines[0].now + .seconds(60))
    for engine in engines {
      let reply = try engine.perform(
        ClaimBatch(
          number: 1, member: nil, facts: facts,
          requests: [.declare(claim.job, schedule: 1, isChanged: false), .claim(claim)]))
      #expect(reply.news?.members.count == 1)
      guard case .granted(_, attempt: 1) = reply.answers[1] else {
        Issue.record("\(reply.answers)")
        continue
      }
    }
  }

  @Test func `decided slots are forgotten after thirty days, and count as known`() throws {
    let engine = try PostgresTestEngine(server.url())
    let job = try name("a")
    var facts = facts
    facts.lease = .seconds(100 * 86_400)
    let first = engine.now
    func slot(_ count: Int64) -> WallInstant { first - .milliseconds(50 * count) }
    func claim(_ count: Int64) -> ClaimRequest {
      .claim(
        SlotClaim(
          job: job, slot: slot(count), schedule: 1, overlap: .allow,
          validUntil: WallInstant(nanoseconds: .max)))
    }
    let joined = try engine.perform(
      ClaimBatch(
        number: 1, member: nil, facts: facts,
        requests: [.declare(job, schedule: 1, isChanged: false)] + (1...500).map { claim($0) }))
    var ends: [ClaimRequest] = []
    for case .granted(let token, _) in joined.answers.dropFirst(2) {
      ends.append(.end(token, .succeeded, reason: ""))
    }
    #expect(ends.count == 499)
    func send(_ requests: [ClaimRequest], facts: MemberFacts? = nil) throws -> [ClaimAnswer] {
      try engine.perform(
        ClaimBatch(number: 2, member: joined.member, facts: facts, requests: requests)
      ).answers
    }
    _ = try send(ends)
    let series = SlotSeries(first: slot(700), last: slot(600), count: 101)
    _ = try send([.decide(job, series, .missed(.down))])
    func count(_ table: String) throws -> Int? {
      try server.run("SELECT count(*) FROM takt.\(table) WHERE cluster = '\(engine.cluster)'")
        .flatMap { Int($0) }
    }
    try engine.pass(.seconds(30 * 86_400))
    _ = try send([], facts: facts)
    #expect(try count("slot") == 500, "thirty days are kept")
    try engine.pass(.seconds(1))
    _ = try send([], facts: facts)
    #expect(try count("slot") == 300, "in steps")
    for _ in 0..<3 { _ = try send([], facts: facts) }
    #expect(try count("slot") == 1, "what is claimed is kept")
    #expect(try count("series") == 0)
    let asked = [1, 2, 250, 500, 650, 1000].map { slot($0) }
    #expect(try send([.ask(job, asked, schedule: 1)]) == [.known(asked, displaced: [])])
    #expect(try send([claim(2), claim(800)]) == [.taken, .taken])
    guard case .granted = try send([claim(0)])[0] else {
      Issue.record("a newer slot is not known")
      return
    }
  }
}
