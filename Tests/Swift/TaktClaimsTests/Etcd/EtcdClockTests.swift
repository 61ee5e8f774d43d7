import TaktTime
import Testing

@testable import TaktClaims

/// The time at a server that reports whole seconds.
@Suite struct EtcdClockTests {
  private static let second: Int64 = 1_000_000_000

  /// A server whose clock is ahead of the boot clock by so much.
  private struct Server {
    var ahead: Int64
    /// The time that a question and an answer are on their way.
    var way: Int64 = 2_000_000

    func tell(_ clock: inout EtcdClock, at boot: Int64) {
      let wall = boot + way + ahead
      clock.hear(seconds: wall / second, sent: boot, received: boot + 2 * way)
    }
  }

  private static let ahead: [Int64] = [
    1_795_456_312_000_000_000, 1_795_456_312_999_999_999, 1_795_456_312_345_678_901,
  ]

  @Test(arguments: ahead)
  func `one answer tells the time within a second`(ahead: Int64) throws {
    var clock = EtcdClock()
    #expect(clock.latest(at: 0) == nil && clock.unknown(at: 0) == nil)
    Server(ahead: ahead).tell(&clock, at: 5 * Self.second)
    let boot = 6 * Self.second
    let (latest, unknown) = try (
      #require(clock.latest(at: boot)), #require(clock.unknown(at: boot))
    )
    #expect(latest.nanoseconds >= boot + ahead)
    #expect(latest.nanoseconds <= boot + ahead + Self.second + 10_000_000)
    #expect(unknown <= .milliseconds(1010))
  }

  @Test(arguments: ahead)
  func `questions about the turn of the second narrow it within a few seconds`(ahead: Int64) throws
  {
    let server = Server(ahead: ahead)
    var clock = EtcdClock()
    var boot: Int64 = 7 * Self.second
    server.tell(&clock, at: boot)
    var count = 0
    while let next = clock.nextQuestion(after: boot) {
      #expect(next > boot && next <= boot + Self.second)
      boot = next
      clock.asked()
      server.tell(&clock, at: boot)
      count += 1
      #expect(try #require(clock.latest(at: boot)).nanoseconds >= boot + ahead)
    }
    #expect(count <= 6)
    #expect(try #require(clock.unknown(at: boot)) < .milliseconds(60))
    let likeliest = try #require(clock.likeliest(at: boot)).nanoseconds
    #expect(abs(likeliest - boot - ahead) < 30_000_000)
    // Hours later the clocks may have come apart.
    boot += 7200 * Self.second
    #expect(try #require(clock.unknown(at: boot)) > .seconds(1))
    #expect(clock.nextQuestion(after: boot) != nil)
  }

  @Test func `a server that is slow to answer is asked a bounded number of times`() {
    let server = Server(ahead: Self.ahead[2], way: 400_000_000)
    var clock = EtcdClock()
    var boot: Int64 = Self.second
    server.tell(&clock, at: boot)
    var count = 0
    while let next = clock.nextQuestion(after: boot), count < 100 {
      boot = next
      clock.asked()
      server.tell(&clock, at: boot)
      count += 1
    }
    #expect(count < 100)
  }

  @Test func `a clock that is set is followed`() throws {
    var clock = EtcdClock()
    Server(ahead: Self.ahead[0]).tell(&clock, at: 0)
    let later = Self.ahead[0] + 90 * Self.second
    Server(ahead: later).tell(&clock, at: Self.second)
    #expect(try #require(clock.latest(at: 2 * Self.second)).nanoseconds >= later + 2 * Self.second)
  }

  @Test(
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Mon, 23 Nov 2026 17:51:50 GMT", 1_795_456_310),
      ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
      ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
      ("Fri, 31 Dec 2100 00:00:00 GMT", 4_133_894_400),
      ("Mon, 23 Nov 2026 17:51:50", nil), ("Mon, 23 Foo 2026 17:51:50 GMT", nil), ("", nil),
      ("Monday, 23-Nov-26 17:51:50 GMT", nil), ("Mon, 23 Nov 2026 17:51 GMT", nil),
      ("Mon, 0 Nov 2026 17:51:50 GMT", nil), ("Mon, 23 Nov 2026 99:51:50 GMT", nil),
    ] as [(String, Int64?)])
  func `dates of HTTP`(text: String, seconds: Int64?) {
    #expect(HTTPDate.seconds(text) == seconds)
  }
}
