import TaktTime
import Testing

@testable import TaktCore

/// A machine's view of its cluster, without a scheduler.
struct ClusterStateTests {
  private let job = JobID(index: 1)
  private let token = ClaimToken(7)

  private func member(_ number: UInt64, offset: Duration = .zero) -> ClusterNews.Member {
    ClusterNews.Member(
      id: MemberID(number),
      facts: MemberFacts(
        machine: "m\(number)", lease: .seconds(10), grace: .zero, clockOffset: offset))
  }

  private func news(_ members: ClusterNews.Member...) -> ClusterNews {
    var news = ClusterNews()
    news.members = members
    return news
  }

  private var claim: ClaimBook.Claim {
    ClaimBook.Claim(
      slot: Slot(
        nominal: WallInstant(milliseconds: 0), causes: [],
        deadline: MonotonicInstant(nanoseconds: 0)), phase: .queued)
  }

  private var key: ClaimBook.Key { ClaimBook.Key(job: job, slot: WallInstant(milliseconds: 0)) }

  private func ended(_ ending: ClaimEnding?) throws -> RememberedClaim {
    RememberedClaim(
      token: token, attempt: 1,
      claim: SlotClaim(
        job: try #require(JobName("a")), slot: key.slot, schedule: 1, validUntil: key.slot),
      ending: ending)
  }

  @Test func `a machine that joins is logged once, and so is a clock that is far off`() {
    var state = ClusterState(member(1, offset: .seconds(60)).facts)
    let first = state.learn(news(member(1)))
    #expect(first.count == 1 && first.first?.text.contains("this machine's clock") == true)
    #expect(state.learn(news(member(1), member(2))).map(\.text).count == 1)
    #expect(state.learn(news(member(1), member(2))).isEmpty)
    state.membership.facts.clockOffset = .zero
    #expect(state.learn(news(member(1), member(2))).isEmpty)
    state.membership.facts.clockOffset = .seconds(60)
    #expect(state.learn(news(member(1), member(2))).count == 1)
  }

  @Test func `a schedule that another machine's has replaced is declared again with each news`() {
    var state = ClusterState(member(1).facts)
    state.jobs[job] = SharedJob(schedule: 1, isChanged: false)
    _ = state.learn(news())
    #expect(state.membership.wishes.isEmpty)
    _ = state.jobs[job]?.drift()
    _ = state.learn(news())
    #expect(Array(state.membership.wishes) == [.declare(job)])
  }

  @Test func `a claim that is given up before its batch is sent is not sent`() {
    var state = ClusterState(member(1).facts)
    state.want(claim, key)
    state.withdraw(key)
    #expect(state.membership.wishes.isEmpty && state.book[key] == nil)
  }

  @Test func `the end of a claim is reported again as it was, and one of no run is given back`()
    throws
  {
    var state = ClusterState(member(1).facts)
    state.endAgain(token)
    let success = ClaimEnding(.succeeded, reason: "")
    state.end(try ended(success))
    state.endAgain(token)
    #expect(
      Array(state.membership.wishes)
        == [.giveBack(token), .end(token, success), .end(token, success)])
    #expect(state.membership.reported == [token])
  }

  @Test func `an engine is set back by another era, and not by the first or by none`() {
    var state = ClusterState(member(1).facts)
    let eras: [UInt64?] = [nil, 1, 1, nil, 1, 2, 2]
    let isSetBack = eras.map { state.isSetBack(by: $0) }
    #expect(isSetBack == [false, false, false, false, false, true, false])
  }

  @Test func `a machine that joins reports what previous daemons had before all other jobs`() throws
  {
    var state = ClusterState(member(1).facts)
    let other = JobID(index: 2)
    for id in [job, other] {
      state.jobs[id] = SharedJob(schedule: 1, isChanged: false)
      _ = state.jobs[id]?.accept()
    }
    let run = UnclaimedRun(try #require(JobName("a")), key.slot, askedAs: nil)
    (state.previousMembers, state.unreported) = ([MemberID(1), MemberID(2)], [run])
    // An earlier membership had no time to send these.
    state.membership.say(.declare(other))
    state.membership.say(.giveBack(token))
    state.begin(declaring: [job], then: [other])
    #expect(
      Array(state.membership.wishes) == [
        .retire(MemberID(2)), .retire(MemberID(1)), .declare(job), .ranUnclaimed(run),
        .declare(other), .giveBack(token),
      ])
    #expect(state.previousMembers.isEmpty && state.unreported.isEmpty)
    #expect(state.jobs[job]?.standing == .undeclared)
  }

  @Test func `schedules in force, then ends, are repeated to an engine that was set back`() throws {
    var state = ClusterState(member(1).facts)
    let drifted = JobID(index: 2)
    for id in [job, drifted] { state.jobs[id] = SharedJob(schedule: 1, isChanged: false) }
    _ = state.jobs[job]?.accept()
    _ = state.jobs[drifted]?.drift()
    let success = try ended(ClaimEnding(.succeeded, reason: ""))
    state.end(success)
    state.reportAgain([job, drifted])
    #expect(
      Array(state.membership.wishes)
        == [.declare(job), .restore(success), .end(token, ClaimEnding(.succeeded, reason: ""))])
    // Its schedule is news to that engine.
    #expect(state.jobs[job]?.isChanged == true && state.jobs[drifted]?.isChanged == false)
  }
}
