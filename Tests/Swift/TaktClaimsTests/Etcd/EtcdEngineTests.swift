import Foundation
import Synchronization
import TaktCore
import TaktTime
import TaktTransfer
import TestSupport
import Testing

@testable import TaktClaims

/// Cases beyond the contract: several processes, cached state, and servers that come and go.
@Suite(.enabled(if: EtcdServer.isInstalled, EtcdServer.hint)) struct EtcdEngineTests {
  private let server: EtcdServer
  private let cluster = "cluster-\(UInt64.random(in: 0 ... .max))"
  private let job: JobName

  init() throws {
    server = try EtcdServer.shared()
    job = try #require(JobName("a"))
  }

  private func facts(_ machine: String) -> MemberFacts {
    MemberFacts(machine: machine, lease: .seconds(15), grace: .seconds(5))
  }

  private static let start: Int64 = 1_700_000_000_000

  private func wish(_ slot: Int64, _ name: JobName? = nil) -> ClaimRequest {
    wish(at: Self.start - slot * 1000, name ?? job)
  }

  private func wish(at milliseconds: Int64, _ name: JobName) -> ClaimRequest {
    .claim(
      SlotClaim(
        job: name, slot: WallInstant(milliseconds: milliseconds), schedule: 1, overlap: .allow,
        isAtLeastOnce: true,
        validUntil: WallInstant(nanoseconds: .max)))
  }

  private func join(
    _ engine: EtcdTestEngine, _ machine: String, number: UInt64 = 1
  ) throws -> ClaimReply {
    try engine.perform(
      ClaimBatch(
        number: number, member: nil, facts: facts(machine),
        requests: [.declare(job, schedule: 1, isChanged: false)]))
  }

  private func renew(
    _ engine: EtcdTestEngine, _ member: MemberID?, _ machine: String, number: UInt64,
    _ requests: [ClaimRequest] = []
  ) throws -> ClaimReply {
    try engine.perform(
      ClaimBatch(number: number, member: member, facts: facts(machine), requests: requests))
  }

  @Test func `each slot is given to one machine`() throws {
    let (clients, rounds) = (4, 15)
    let granted = Mutex<[String: Int]>([:])
    let tokens = Mutex<[ClaimToken]>([])
    let base = SystemTimeSource().wall.milliseconds - 10_000
    let jobs = try (0..<4).map { try #require(JobName("job\($0)")) }
    try onThreads(clients) { [server, cluster] client in
      let driver = SynchronousDriver(server.access, cluster: cluster)
      let joined = try driver.perform(
        ClaimBatch(
          number: 1, member: nil, facts: facts("m\(client)"),
          requests: jobs.map { .declare($0, schedule: 1, isChanged: false) }))
      for round in 1...rounds {
        let wishes = jobs.shuffled().map { job in
          SlotClaim(
            job: job, slot: WallInstant(milliseconds: base + Int64(round)), schedule: 1,
            overlap: .allow, validUntil: WallInstant(nanoseconds: .max))
        }
        let reply = try driver.perform(
          ClaimBatch(
            number: UInt64(round + 1), member: joined.member,
            facts: round % 5 == 0 ? facts("m\(client)") : nil,
            requests: wishes.map { .claim($0) }))
        for (wish, answer) in zip(wishes, reply.answers) {
          guard case .granted(let token, 1) = answer else {
            #expect(answer == .taken)
            continue
          }
          granted.withLock { $0["\(wish.job) \(wish.slot.milliseconds)", default: 0] += 1 }
          tokens.withLock { $0.append(token) }
        }
      }
    }
    #expect(granted.withLock { $0.count } == jobs.count * rounds)
    #expect(granted.withLock { $0.values.allSatisfy { $0 == 1 } })
    #expect(tokens.withLock { Set($0).count } == jobs.count * rounds)
  }

  @Test func `whether a machine is lost is a matter of how long nothing was seen of it`() throws {
    let one = EtcdTestEngine(server.access, cluster: cluster)
    let two = EtcdTestEngine(server.access, cluster: cluster)
    // Its clock is an hour fast, which says nothing about the other's lease.
    two.pass(.seconds(3600))
    let first = try join(one, "one").member
    _ = try renew(one, first, "one", number: 2, [wish(1)])
    let second = try join(two, "two")
    #expect(second.news?.members.map(\.isAlive) == [true, true])
    two.pass(.seconds(7))
    _ = try renew(two, second.member, "two", number: 2)
    two.pass(.seconds(7))
    #expect(
      try renew(two, second.member, "two", number: 3).news?.members.map(\.isAlive) == [true, true])
    two.pass(.seconds(1))
    #expect(
      try renew(two, second.member, "two", number: 4).news?.members.map(\.isAlive)
        == [false, true])
    two.pass(.seconds(5))
    #expect(try renew(two, second.member, "two", number: 5).news?.open == [])
    two.pass(.milliseconds(1))
    let news = try renew(two, second.member, "two", number: 6).news
    #expect(news?.open.count == 1 && news?.members.count == 1)
    // By its own clock its lease has just begun.
    #expect(try renew(one, first, "one", number: 3).member == nil)
  }

  @Test func `a machine that comes back later knows that all were cut off`() throws {
    let one = EtcdTestEngine(server.access, cluster: cluster)
    let two = EtcdTestEngine(server.access, cluster: cluster)
    let three = EtcdTestEngine(server.access, cluster: cluster)
    let members = [
      try join(one, "one").member, try join(two, "two").member, try join(three, "three").member,
    ]
    _ = try renew(one, members[0], "one", number: 2, [wish(1)])
    for engine in [one, two, three] { engine.pass(.seconds(60)) }
    #expect(try renew(two, members[1], "two", number: 2).news?.open == [])
    for engine in [one, two, three] { engine.pass(.seconds(9)) }
    // Some machine has been heard by now.
    #expect(try renew(three, members[2], "three", number: 2).news?.open == [])
    for engine in [one, two, three] { engine.pass(.seconds(5)) }
    let news = try renew(one, members[0], "one", number: 3).news
    #expect(news?.held.count == 1 && news?.members.map(\.isAlive) == [true, true, true])
  }

  @Test func `a renewal that others see restarts their count`() throws {
    let one = EtcdTestEngine(server.access, cluster: cluster)
    let two = EtcdTestEngine(server.access, cluster: cluster)
    let first = try join(one, "one").member
    let second = try join(two, "two").member
    for number in 2...UInt64(9) {
      two.pass(.seconds(10))
      _ = try renew(one, first, "one", number: number)
      let members = try renew(two, second, "two", number: number).news?.members
      #expect(members?.map(\.isAlive) == [true, true])
    }
  }

  @Test func `a member's number that was given out again is not taken for one's own`() throws {
    let one = EtcdTestEngine(server.access, cluster: cluster)
    let two = EtcdTestEngine(server.access, cluster: cluster)
    let first = try join(one, "one").member
    let token = try renew(one, first, "one", number: 2, [wish(1)]).answers
    try deleteAll()
    #expect(try join(two, "two").member == first)
    #expect(try renew(one, first, "one", number: 3, [wish(2)]).member == nil)
    let again = try renew(two, first, "two", number: 2, [wish(1)]).answers
    guard case .granted(let old, _) = token[0], case .granted(let new, _) = again[0] else {
      Issue.record("no grants: \(token), \(again)")
      return
    }
    // Its clock has not gone on, or it would be higher.
    #expect(new >= old)
  }

  @Test func `fences grow though all records are lost`() throws {
    let engine = EtcdTestEngine(server.access, cluster: cluster)
    var last = ClaimToken(0)
    for number in 0..<UInt64(3) {
      let member = try join(engine, "one", number: number * 2 + 1).member
      let answers = try renew(
        engine, member, "one", number: number * 2 + 2, [wish(1), wish(2)]
      ).answers
      for case .granted(let token, 1) in answers {
        #expect(token > last)
        last = token
      }
      engine.pass(.milliseconds(10))
      try deleteAll()
    }
  }

  @Test func `old decided slots are kept in short`() throws {
    let engine = EtcdTestEngine(server.access, cluster: cluster)
    let member = try join(engine, "one").member
    var number: UInt64 = 2
    let slots = (0..<400).map { Self.start - 10_000 + Int64($0) * 500 }
    for round in 0..<20 {
      let wishes = slots[(round * 20)..<(round * 20 + 20)].map { wish(at: $0, job) }
      let grants = try renew(engine, member, "one", number: number, wishes).answers
      let tokens = grants.compactMap { answer -> ClaimToken? in
        if case .granted(let token, _) = answer { token } else { nil }
      }
      try #require(tokens.count == 20)
      _ = try renew(
        engine, member, "one", number: number + 1,
        // The last one stays claimed.
        tokens.dropLast(round == 0 ? 1 : 0).map { .end($0, .succeeded, reason: "") })
      engine.pass(.seconds(10))
      number += 2
    }
    // A repeated request is recognized, even from another process.
    let other = EtcdTestEngine(server.access, cluster: cluster)
    other.pass(.seconds(200))
    let second = try join(other, "two").member
    let all = slots.map { wish(at: $0, job) }
    #expect(try renew(other, second, "two", number: 2, all).answers.allSatisfy { $0 == .taken })
    let kept = try record("job/a")
    #expect((kept["slots"] as? [Any])?.count ?? 0 < 180)
    #expect(((try record("past/a"))["ranges"] as? [Any])?.count ?? 0 <= 2)
    let shown = try EtcdHistory(server.access, cluster: cluster)
      .slots(of: job, after: WallInstant(milliseconds: 0))
    let short = shown.ranges.reduce(0) { $0 + $1.count }
    #expect(short > 0 && shown.entries.count + short == 400)
    #expect(shown.ranges.allSatisfy { $0.kind == .ran })
    #expect(shown.entries.count { $0.state == .decided(.ran) } + short == 399)
  }

  @Test func `a batch about more jobs than one transaction takes is done in several`() throws {
    let engine = EtcdTestEngine(server.access, cluster: cluster)
    let jobs = try (0..<300).map { try #require(JobName("job\($0)")) }
    let joined = try engine.perform(
      ClaimBatch(
        number: 1, member: nil, facts: facts("one"),
        requests: jobs.map { .declare($0, schedule: 1, isChanged: false) }))
    #expect(joined.answers == Array(repeating: .done, count: 300))
    let claimed = try engine.perform(
      ClaimBatch(
        number: 2, member: joined.member, facts: facts("one"), requests: jobs.map { wish(1, $0) }))
    #expect(claimed.answers.count == 300 && claimed.news?.held.count == 300)
    // The many claims that such a machine leaves are settled in turns.
    let other = EtcdTestEngine(server.access, cluster: cluster)
    let second = try join(other, "two").member
    var open = 0
    for number in 2...UInt64(30) {
      other.pass(.seconds(10))
      open = try renew(other, second, "two", number: number).news?.open.count ?? 0
      if open == 300 { break }
    }
    #expect(open == 300)
  }

  @Test func `the first endpoint that answers is used`() throws {
    let silent = try Listener()
    let closed = try Loopback.freePort()
    var access = server.access
    access.endpoints =
      [closed, silent.port].map { TransferAddress(scheme: "http", host: "127.0.0.1", port: $0) }
      + access.endpoints
    let driver = SynchronousDriver(access, cluster: cluster, deadline: .seconds(4))
    #expect(try driver.perform(.joining).member != nil)
  }

  @Test func `etcd that never answers fails each batch at its deadline`() throws {
    let listener = try Listener()
    let address = TransferAddress(scheme: "http", host: "127.0.0.1", port: listener.port)
    let driver = SynchronousDriver(
      EtcdAccess(endpoints: [address]), cluster: cluster, deadline: .milliseconds(200))
    for number in 1...UInt64(3) {
      let outcome = driver.outcome(of: ClaimBatch(number: number, member: nil, facts: nil))
      guard case .failed(number, let failure) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(
        failure.description.hasSuffix(
          "did not answer within 200 ms. Check the network, the server's load, and that most members "
            + "of etcd are running."))
      #expect(!failure.isPermanent)
    }
  }

  @Test func `slots are shown as they are on any machine`() throws {
    let engine = EtcdTestEngine(server.access, cluster: cluster)
    let member = try join(engine, "one").member
    let slots = (0...5).map { WallInstant(milliseconds: 1_700_000_000_000 - 5000 + $0 * 1000) }
    let answers = try renew(
      engine, member, "one", number: 2,
      [
        wish(5), wish(4), wish(3), .decide(job, SlotSeries(slots[3]), .missed(.down)),
        .decide(job, SlotSeries(first: slots[4], last: slots[5], count: 2), .skipped(.suspended)),
      ]
    ).answers
    guard case .granted(let first, _) = answers[0], case .granted(let second, _) = answers[1] else {
      Issue.record("\(answers)")
      return
    }
    _ = try renew(
      engine, member, "one", number: 3,
      [.end(first, .succeeded, reason: "exit(0)"), .giveBack(second)])
    let other = EtcdTestEngine(server.access, cluster: cluster)
    _ = try other.perform(
      ClaimBatch(
        number: 1, member: nil, facts: facts("two"), requests: [.ranUnclaimed(job, slots[2])]))
    let history = try EtcdHistory(server.access, cluster: cluster)
    let shown = try history.slots(of: job, after: WallInstant(milliseconds: 0))
    #expect(shown.entries.map(\.slot) == Array(slots[0...3]))
    #expect(shown.entries[0].state == .decided(.ran))
    #expect(shown.entries[1].state == .open(overdueFor: nil))
    #expect(shown.entries[3].state == .decided(.missed))
    // The engine's clock is that of the test, years ago, so that the machine has long been lost.
    guard case .claimed(machine: "one", lostFor: .some) = shown.entries[2].state else {
      Issue.record("\(shown.entries[2])")
      return
    }
    #expect(shown.series.map(\.slots.count) == [2] && shown.series.map(\.verdict) == [.skipped])
    #expect(shown.doubled == [EngineSlots.Doubled(slot: slots[2], machine: "two")])
    #expect(try history.slots(of: job, after: slots[1]).entries.count == 2)
    let nobody = try #require(JobName("nobody"))
    #expect(try history.slots(of: nobody, after: slots[0]) == EngineSlots())
  }

  // MARK: What is in etcd

  private func deleteAll() throws {
    let prefix = "/takt/\(cluster)/"
    try server.call(
      "/v3/kv/deleterange",
      #"{"key":"\#(EtcdMessage.base64(prefix))","#
        + #""range_end":"\#(EtcdMessage.base64(EtcdMessage.end(of: prefix)))"}"#)
  }

  private func record(_ key: String) throws -> [String: Any] {
    let text = try server.call(
      "/v3/kv/range", #"{"key":"\#(EtcdMessage.base64("/takt/\(cluster)/\(key)"))"}"#)
    let range = try JSONDecoder().decode(EtcdMessage.Range.self, from: Data(text.utf8))
    let value = try #require(range.kvs?.first)
    return try #require(try JSONSerialization.jsonObject(with: value.valueBytes) as? [String: Any])
  }
}
