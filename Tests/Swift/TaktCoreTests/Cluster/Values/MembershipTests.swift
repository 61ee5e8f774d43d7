import TaktTime
import Testing

@testable import TaktCore

/// A machine's messages to its cluster's engine and their times, without a scheduler.
struct MembershipTests {
  private static let lease = Duration.seconds(10)
  /// A message; its contents do not matter here.
  private let one = Membership.Wish.giveBack(ClaimToken(1))
  private let two = Membership.Wish.giveBack(ClaimToken(2))
  private let three = Membership.Wish.giveBack(ClaimToken(3))

  private func at(_ seconds: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func now(_ seconds: Int) -> Now {
    Now(wall: WallInstant(milliseconds: Int64(seconds) * 1000), monotonic: at(seconds))
  }

  /// Sends all that there is to be said.
  private func send(
    _ link: inout Membership, _ stage: Membership.Stage = .running, at seconds: Int
  ) -> ClaimBatch? {
    guard link.wantsToSend(stage, at: at(seconds)) else { return nil }
    var said: [(Membership.Wish, ClaimRequest)] = []
    while let wish = link.pop(afterSaying: said.count) {
      said.append((wish, .giveBack(ClaimToken(1))))
    }
    return link.send(said, stage, at: at(seconds))
  }

  /// The engine answers a batch, as one that knows the machine under this number. Returns the
  /// consequences, without lines of the log.
  private func answer(
    _ link: inout Membership, _ batch: ClaimBatch, as member: UInt64?, at seconds: Int
  ) -> [Membership.Effect] {
    let reply = ClaimReply(
      number: batch.number, member: member.map { MemberID($0) }, wall: now(seconds).wall,
      answers: batch.requests.map { _ in .done })
    return link.hear(.answered(reply), .running, at: now(seconds)).filter {
      if case .log = $0 { false } else { true }
    }
  }

  private func fail(
    _ link: inout Membership, _ batch: ClaimBatch, _ words: String, at seconds: Int
  ) -> [Membership.Effect] {
    link.hear(
      .failed(number: batch.number, ClaimFailure(words)), .running, at: now(seconds))
  }

  /// The guard's time for runs under a claim.
  private func leased(_ batch: ClaimBatch, grace: Duration) -> Membership.Effect {
    .leased(batch: batch.number, for: Self.lease + grace - Membership.guardMargin)
  }

  /// A member since second 0.
  private func joined() throws -> Membership {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .seconds(2)))
    let batch = try #require(send(&link, at: 0))
    #expect(
      answer(&link, batch, as: 1, at: 0)
        == [leased(batch, grace: .seconds(2)), .joined(MemberID(1), adopting: nil)])
    return link
  }

  @Test func `a machine that joins hears first how things stand`() throws {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .zero))
    link.say(one)
    let first = try #require(send(&link, at: 0))
    #expect(first.facts != nil && first.requests.isEmpty)
    #expect(answer(&link, first, as: 1, at: 0).last == .joined(MemberID(1), adopting: nil))
    #expect(try #require(send(&link, at: 0)).requests.count == 1)
  }

  @Test func `how far away the engine is says its last answer`() throws {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .zero))
    #expect(link.roundTrip == nil)
    let batch = try #require(send(&link, at: 0))
    #expect(answer(&link, batch, as: 1, at: 2).last == .joined(MemberID(1), adopting: nil))
    #expect(link.roundTrip == .seconds(2))
  }

  @Test func `one batch is under way at a time, and none without a reason`() throws {
    var link = try joined()
    #expect(send(&link, at: 1) == nil)
    link.say(one)
    #expect(send(&link, at: 1) != nil)
    link.say(two)
    #expect(send(&link, at: 1) == nil)
  }

  @Test func `a lease is renewed three times in its time, and is over a tenth before its end`()
    throws
  {
    var link = try joined()
    #expect(link.next(at: at(1)) == at(0) + Self.lease / 3)
    #expect(link.hasLease(at: at(8)) && !link.hasLease(at: at(9)))
    let batch = try #require(send(&link, at: 4))
    #expect(batch.facts != nil)
    #expect(answer(&link, batch, as: 1, at: 5) == [leased(batch, grace: .seconds(2))])
    // It counts from when it was asked for.
    #expect(link.hasLease(at: at(12)) && !link.hasLease(at: at(13)))
  }

  @Test func `what has no answer is said again, in its order and at longer intervals`() throws {
    var link = try joined()
    for wish in [one, two] { link.say(wish) }
    let batch = try #require(send(&link, at: 1))
    link.say(three)
    #expect(
      fail(&link, batch, "refused", at: 1) == [
        .asked([one, two], as: MemberID(1)),
        .log(ClusterNotice(.warning, "the cluster's engine does not answer: refused")), .failed,
      ])
    #expect(Array(link.wishes) == [one, two, three])
    #expect(!link.isUp && send(&link, at: 1) == nil)
    let again = try #require(send(&link, at: 2))
    #expect(again.requests.count == 3)
    // It is logged once.
    #expect(
      fail(&link, again, "refused", at: 2)
        == [.asked([one, two, three], as: MemberID(1)), .failed])
    #expect(link.next(at: at(2)) == at(2) + .milliseconds(500))
  }

  @Test func `an answer to another batch is none`() throws {
    var link = try joined()
    link.say(one)
    let batch = try #require(send(&link, at: 1))
    let late = ClaimOutcome.failed(number: batch.number + 1, ClaimFailure("late"))
    let effects = link.hear(late, .running, at: now(1))
    #expect(effects.isEmpty)
    #expect(link.isSaying(one))
  }

  @Test func `an engine that does not know the machine is asked to renew its lease first`() throws {
    var link = try joined()
    link.say(one)
    let batch = try #require(send(&link, at: 1))
    #expect(answer(&link, batch, as: nil, at: 1) == [.asked([one], as: MemberID(1))])
    #expect(link.id == MemberID(1))
    let renewal = try #require(send(&link, at: 1))
    #expect(renewal.facts != nil && renewal.requests.count == 1)
    #expect(
      answer(&link, renewal, as: nil, at: 1)
        == [.asked([one], as: MemberID(1)), .ended(MemberID(1))])
    #expect(link.id == nil && link.earlier == MemberID(1))
    // Its lease holds, so that no other machine can have decided for it.
    let joining = try #require(send(&link, at: 1))
    #expect(
      answer(&link, joining, as: 2, at: 1).last == .joined(MemberID(2), adopting: MemberID(1)))
  }

  @Test func `with its lease over, a machine that the engine does not know is lost`() throws {
    var link = try joined()
    let batch = try #require(send(&link, at: 20))
    #expect(
      answer(&link, batch, as: nil, at: 20) == [.asked([], as: MemberID(1)), .ended(MemberID(1))])
    let again = try #require(send(&link, at: 20))
    #expect(again.member == nil)
    #expect(answer(&link, again, as: 2, at: 20).last == .joined(MemberID(2), adopting: nil))
  }

  @Test func `an engine that answers again is logged, and the waiting slots are asked for`() throws
  {
    var link = try joined()
    link.say(one)
    let batch = try #require(send(&link, at: 1))
    _ = fail(&link, batch, "refused", at: 1)
    let again = try #require(send(&link, at: 2))
    let reply = ClaimReply(
      number: again.number, member: MemberID(1), wall: now(2).wall, answers: [.done])
    #expect(
      link.hear(.answered(reply), .running, at: now(2)) == [
        .log(ClusterNotice(.notice, "the cluster's engine answers again")), .answered(one, .done),
        .isBack,
      ])
    #expect(link.isUp)
  }

  @Test func `a machine that has slept has had less of its lease`() throws {
    var link = try joined()
    link.sleep(for: .seconds(5))
    #expect(link.hasLease(at: at(3)) && !link.hasLease(at: at(4)))
    let ends = [3, 4, 4].map { link.endLease(ifOver: at($0)) }
    #expect(ends == [false, true, false])
  }

  @Test func `a stop waits for what is to be said, and for no engine that it never knew`() throws {
    var link = try joined()
    link.say(one)
    #expect(try #require(send(&link, .stopping, at: 1)).leaves == false)
    var other = Membership(MemberFacts(machine: "b", lease: Self.lease, grace: .zero))
    #expect(send(&other, .stopping, at: 0) == nil && other.hasLeft)

    var last = try joined()
    last.say(one)
    let batch = try #require(send(&last, .idle, at: 1))
    #expect(batch.leaves)
    #expect(fail(&last, batch, "gone", at: 1).isEmpty)
    #expect(last.hasLeft)
  }
}
