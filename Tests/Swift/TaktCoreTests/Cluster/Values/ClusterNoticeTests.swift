import TaktTime
import Testing

@testable import TaktCore

/// The log's notices of a cluster's machines, without a scheduler.
struct ClusterNoticeTests {
  private func member(
    _ number: UInt64, isAlive: Bool = true, offset: Duration = .zero
  ) -> ClusterNews.Member {
    ClusterNews.Member(
      id: MemberID(number),
      facts: MemberFacts(
        machine: "m\(number)", lease: .seconds(10), grace: .seconds(2), clockOffset: offset),
      isAlive: isAlive)
  }

  private func news(_ members: ClusterNews.Member...) -> ClusterNews {
    var news = ClusterNews()
    news.members = members
    return news
  }

  private func texts(_ old: ClusterNews, _ new: ClusterNews) -> [String] {
    new.notices(since: old, own: MemberID(1)).map(\.text)
  }

  @Test func `the first news is no change, nor is what a machine does itself`() {
    #expect(texts(news(), news(member(1), member(2))).isEmpty)
    #expect(texts(news(member(1)), news(member(1, isAlive: false))).isEmpty)
    #expect(texts(news(member(1), member(2)), news(member(2))).isEmpty)
  }

  @Test func `machines join, fall silent, come back and leave`() {
    let (alone, both) = (news(member(1)), news(member(1), member(2)))
    let silent = news(member(1), member(2, isAlive: false))
    #expect(texts(alone, both) == ["machine 'm2' (member 2) has joined"])
    #expect(texts(both, silent).first?.contains("has not renewed its lease") == true)
    #expect(texts(silent, both) == ["machine 'm2' (member 2) has renewed its lease"])
    #expect(texts(both, alone) == ["machine 'm2' (member 2) has left, or has joined again"])
    #expect(texts(silent, alone).first?.contains("is lost") == true)
    #expect(texts(silent, silent).isEmpty && texts(both, both).isEmpty)
  }

  @Test func `a clock is wrong against the engine's, unless most others say the same`() {
    let far = MemberFacts.clockOffsetMax * 2
    let own = MemberID(1)
    #expect(news(member(1), member(2)).clockNotice(.zero, own: own) == nil)
    let mine = news(member(1), member(2)).clockNotice(far, own: own)
    #expect(mine?.text.hasPrefix("this machine's clock is") == true)
    let alone = news(member(1)).clockNotice(far, own: own)
    #expect(alone?.text.hasPrefix("this machine's clock is") == true)
    let engine = news(member(1), member(2, offset: far)).clockNotice(far, own: own)
    #expect(engine?.text.hasPrefix("the engine's clock is") == true)
  }

  @Test func `a slot that is excluded may be a silent machine's`() {
    let silent = news(member(1), member(2, isAlive: false))
    #expect(silent.exclusionNotice(by: .limit, own: MemberID(1)) == nil)
    #expect(silent.exclusionNotice(by: .overlap, own: MemberID(2)) == nil)
    let notice = silent.exclusionNotice(by: .overlap, own: MemberID(1))
    #expect(notice?.text.contains("'m2' (member 2)") == true)
  }

  @Test func `each slot has another order of the machines, and each of them one turn`() throws {
    let news = news(member(1), member(2), member(3), member(4, isAlive: false))
    let job = try #require(JobName("job"))
    for minute in 0..<20 {
      let slot = WallInstant(milliseconds: Int64(minute) * 60_000)
      let ranks = (1...3).map { news.rank(of: MemberID($0), for: job, slot, .one) }
      #expect(ranks.sorted() == [0, 1, 2])
    }
    #expect(news.rank(of: nil, for: job, WallInstant(milliseconds: 0), .one) == 0)
  }
}
