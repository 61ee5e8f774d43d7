import TaktCore
import TaktTime
import Testing

@testable import TaktClaims

/// An engine's slots as viewed by others.
@Suite(.enabled(if: TestServer.isInstalled, TestServer.hint)) struct PostgresHistoryTests {
  private let job: JobName

  init() throws { job = try #require(JobName("a")) }

  private func claim(_ engine: PostgresTestEngine, _ slot: WallInstant) -> ClaimRequest {
    .claim(
      SlotClaim(
        job: job, slot: slot, schedule: 1, overlap: .allow, validUntil: engine.now + .seconds(5)))
  }

  @Test func `a server that repeats a page ends the look at its slots`() throws {
    let server = try TestServer.shared()
    let database = try server.makeDatabase()
    let engine = try PostgresTestEngine(server.url(database))
    try server.run(
      """
      CREATE OR REPLACE FUNCTION takt.audit(
        p_cluster text, p_job text, p_after bigint, p_max integer
      ) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_build_object(
          'now', 0, 'series', '[]'::jsonb, 'doubled', '[]'::jsonb,
          'slots', (SELECT jsonb_agg(jsonb_build_object('slot', g)) FROM generate_series(1, p_max) g))
      $$
      """, in: database)
    let history = try PostgresHistory(url: server.url(database), cluster: engine.cluster)
    #expect(throws: ClaimHistoryFailure.self) {
      try history.slots(of: job, after: WallInstant(milliseconds: 0))
    }
  }

  @Test func `slots are shown as they are on any machine`() throws {
    let url = try TestServer.shared().url()
    let engine = try PostgresTestEngine(url)
    let slots = (0..<6).map { engine.now + (.zero - .seconds(1)) * $0 }.reversed() as [WallInstant]
    let facts = MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(5))
    let joined = try engine.perform(
      ClaimBatch(
        number: 1, member: nil, facts: facts,
        requests: [.declare(job, schedule: 1, isChanged: false)]
          + slots[0...2].map { claim(engine, $0) } + [
            .decide(job, SlotSeries(slots[3]), .missed(.down)),
            .decide(
              job, SlotSeries(first: slots[4], last: slots[5], count: 2), .skipped(.suspended)),
          ]))
    let tokens = joined.answers.compactMap { answer -> ClaimToken? in
      if case .granted(let token, _) = answer { token } else { nil }
    }
    #expect(tokens.count == 3)
    _ = try engine.perform(
      ClaimBatch(
        number: 2, member: joined.member, facts: nil,
        requests: [
          .end(tokens[0], .succeeded, reason: "exit(0)"), .giveBack(tokens[1]),
        ]))
    var second = facts
    second.machine = "two"
    _ = try engine.perform(
      ClaimBatch(number: 1, member: nil, facts: second, requests: [.ranUnclaimed(job, slots[2])]))
    let history = try PostgresHistory(url: url, cluster: engine.cluster)
    let shown = try history.slots(of: job, after: WallInstant(milliseconds: 0))
    #expect(shown.entries.map(\.slot) == Array(slots[0...3]))
    #expect(
      shown.entries.map(\.state) == [
        .decided(.ran), .open(overdueFor: nil), .claimed(machine: "one", lostFor: nil),
        .decided(.missed),
      ])
    #expect(shown.series.map(\.slots.count) == [2] && shown.series.map(\.verdict) == [.skipped])
    #expect(shown.doubled == [EngineSlots.Doubled(slot: slots[2], machine: "two")])
    // Slots long before the job first appeared belong to no machine.
    #expect(shown.forgottenUntil == engine.now + .milliseconds(-60_001))
    #expect(try history.slots(of: job, after: slots[1]).entries.count == 2)
    // The machine is lost 20 s after its last renewal.
    try engine.pass(.seconds(27))
    let later = try history.slots(of: job, after: slots[0]).entries.map(\.state)
    #expect(
      later.prefix(2) == [
        .open(overdueFor: .seconds(22)), .claimed(machine: "one", lostFor: .seconds(7)),
      ])
    let other = try PostgresHistory(url: url, cluster: "none")
    #expect(try other.slots(of: job, after: slots[0]) == EngineSlots())
  }

  @Test func `a long history is read to its end`() throws {
    let server = try TestServer.shared()
    let engine = try PostgresTestEngine(server.url())
    try server.run(
      """
      INSERT INTO takt.slot (cluster, job, slot, state, valid_until, verdict)
      SELECT '\(engine.cluster)', 'a', n * 1000, 'decided', 0, 'ran' FROM generate_series(1, 12001) n
      """)
    let shown = try PostgresHistory(url: server.url(), cluster: engine.cluster)
      .slots(of: job, after: WallInstant(milliseconds: 1000))
    #expect(shown.entries.count == 12_000)
    #expect(shown.entries.map(\.slot) == (2...12_001).map { WallInstant(milliseconds: $0 * 1000) })
  }

  @Test func `a role that may claim may look, and what is missing is said`() throws {
    let server = try TestServer.shared()
    let database = try server.makeDatabase()
    #expect {
      try PostgresHistory(url: server.url(database), cluster: "default")
        .slots(of: job, after: WallInstant(milliseconds: 0))
    } throws: {
      "\($0)".contains("does not have this takt's schema. Run `takt cluster sql | psql DATABASE`")
    }
    let role = "looks_\(UInt32.random(in: 0 ... .max))"
    try server.run("CREATE ROLE \(role) LOGIN")
    try server.run(PostgresSchema.sql, in: database)
    let url = server.url(database, role: role)
    let start = WallInstant(milliseconds: 0)
    #expect {
      try PostgresHistory(url: url, cluster: "default").slots(of: job, after: start)
    } throws: { "\($0)".contains("GRANT EXECUTE ON FUNCTION takt.audit") }
    try server.run(PostgresSchema.grants(to: role), in: database)
    let shown = try PostgresHistory(url: url, cluster: "default").slots(of: job, after: start)
    #expect(shown == EngineSlots())
    #expect(throws: (any Error).self) {
      let connection = try PostgresConnection.open(url, until: .now + .seconds(60))
      _ = try connection.run(script: "SELECT count(*) FROM takt.slot", until: .now + .seconds(60))
    }
  }
}
