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

  /// The engine answers a batch, as one that knows the machine under this number.
  private func answer(
    _ link: inout Membership, _ batch: ClaimBatch, as member: UInt64?, at seconds: Int
  ) throws -> Membership.Admission {
    let reply = ClaimReply(
      number: batch.number, member: member.map { MemberID($0) }, wall: now(seconds).wall)
    guard case .answered(_, let flight, _, _)? = link.hear(.answered(reply), at: at(seconds)) else {
      throw Unanswered()
    }
    return link.admit(reply, flight, at: now(seconds))
  }

  private struct Unanswered: Error {}

  /// A member since second 0.
  private func joined() throws -> Membership {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .seconds(2)))
    let batch = try #require(send(&link, at: 0))
    #expect(try answer(&link, batch, as: 1, at: 0) == .joined)
    return link
  }

  @Test func `a machine that joins hears first how things stand`() throws {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .zero))
    link.say(one)
    let first = try #require(send(&link, at: 0))
    #expect(first.facts != nil && first.requests.isEmpty)
    #expect(try answer(&link, first, as: 1, at: 0) == .joined)
    #expect(try #require(send(&link, at: 0)).requests.count == 1)
  }

  @Test func `how far away the engine is says its last answer`() throws {
    var link = Membership(MemberFacts(machine: "a", lease: Self.lease, grace: .zero))
    #expect(link.roundTrip == nil)
    let batch = try #require(send(&link, at: 0))
    #expect(try answer(&link, batch, as: 1, at: 2) == .joined)
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
    #expect(try answer(&link, batch, as: 1, at: 5) == .member)
    // It counts from when it was asked for.
    #expect(link.hasLease(at: at(12)) && !link.hasLease(at: at(13)))
  }

  @Test func `what has no answer is said again, in its order and at longer intervals`() throws {
    var link = try joined()
    for wish in [one, two] { link.say(wish) }
    let batch = try #require(send(&link, at: 1))
    link.say(three)
    let outcome = ClaimOutcome.failed(number: batch.number, ClaimFailure("refused"))
    guard case .failed(_, let flight, isNews: true)? = link.hear(outcome, at: at(1)) else {
      Issue.record("not heard")
      return
    }
    #expect(flight.wishes == [one, two] && Array(link.wishes) == [one, two, three])
    #expect(!link.isUp && send(&link, at: 1) == nil)
    let again = try #require(send(&link, at: 2))
    #expect(again.requests.count == 3)
    let second = link.hear(.failed(number: again.number, ClaimFailure("refused")), at: at(2))
    guard case .failed(_, _, isNews: false)? = second else {
      Issue.record("told of twice")
      return
    }
    #expect(link.next(at: at(2)) == at(2) + .milliseconds(500))
  }

  @Test func `an answer to another batch is none`() throws {
    var link = try joined()
    link.say(one)
    let batch = try #require(send(&link, at: 1))
    #expect(link.hear(.failed(number: batch.number + 1, ClaimFailure("late")), at: at(1)) == nil)
    #expect(link.isSaying(one))
  }

  @Test func `an engine that does not know the machine is asked to renew its lease first`() throws {
    var link = try joined()
    link.say(one)
    let batch = try #require(send(&link, at: 1))
    #expect(try answer(&link, batch, as: nil, at: 1) == .doubted)
    #expect(link.id == MemberID(1))
    let renewal = try #require(send(&link, at: 1))
    #expect(renewal.facts != nil && renewal.requests.count == 1)
    #expect(try answer(&link, renewal, as: nil, at: 1) == .forgotten)
    #expect(link.id == nil && link.earlier == MemberID(1))
    // Its lease holds, so that no other machine can have decided for it.
    #expect(link.adopt() == MemberID(1) && link.adopt() == nil)
  }

  @Test func `with its lease over, a machine that the engine does not know is lost`() throws {
    var link = try joined()
    let batch = try #require(send(&link, at: 20))
    #expect(try answer(&link, batch, as: nil, at: 20) == .lost)
    #expect(link.adopt() == nil)
    let again = try #require(send(&link, at: 20))
    #expect(again.member == nil)
    #expect(try answer(&link, again, as: 2, at: 20) == .joined)
  }

  @Test func `a machine that has slept has had less of its lease`() throws {
    var link = try joined()
    link.sleep(for: .seconds(5))
    #expect(link.hasLease(at: at(3)) && !link.hasLease(at: at(4)))
    #expect(link.endLease() && !link.endLease())
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
    let outcome = ClaimOutcome.failed(number: batch.number, ClaimFailure("gone"))
    guard case .left? = last.hear(outcome, at: at(1)) else {
      Issue.record("has not left")
      return
    }
    #expect(last.hasLeft)
  }
}
