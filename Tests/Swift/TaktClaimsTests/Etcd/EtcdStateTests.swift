import TaktCore
import TaktTime
import Testing

@testable import TaktClaims

/// Leases by what a process has seen, without a server.
@Suite struct EtcdStateTests {
  private static let second: Int64 = 1_000_000_000

  private let facts = MemberFacts(machine: "one", lease: .seconds(15), grace: .seconds(5))

  private func turn(at seconds: Int64, instance: UInt64, _ renewals: [UInt64: Int64] = [:])
    -> EtcdState.Turn
  {
    EtcdState.Turn(
      now: WallInstant(milliseconds: 1_700_000_000_000 + seconds * 1000),
      boot: seconds * Self.second, instance: instance, renewals: renewals)
  }

  /// The records that a member's join writes.
  private func joined() throws -> (member: MemberID, values: [EtcdMessage.KeyValue]) {
    let old = EtcdState(prefix: "/takt/x/")
    var state = old
    let reply = state.perform(
      ClaimBatch(number: 1, member: nil, facts: facts), turn(at: 0, instance: 7, [1: 0]))
    let changes = state.changes(since: old, stamp: 1)
    return (
      try #require(reply.member),
      changes.puts.map { EtcdMessage.KeyValue(key: EtcdMessage.base64($0.key), value: $0.value) }
    )
  }

  @Test func `one's own lease counts from the request, though its answer was lost`() throws {
    let (member, values) = try joined()
    var state = EtcdState(prefix: "/takt/x/")
    // All is read again much later.
    #expect(state.apply(values, seenAt: 14 * Self.second) == nil)
    let batch = ClaimBatch(number: 2, member: member, facts: nil)
    var early = state
    #expect(early.perform(batch, turn(at: 14, instance: 7, [1: 0])).member == member)
    #expect(state.perform(batch, turn(at: 15, instance: 7, [1: 0])).member == nil)
  }

  @Test func `another's lease counts from when it was seen first`() throws {
    let (member, values) = try joined()
    var state = EtcdState(prefix: "/takt/x/")
    #expect(state.apply(values, seenAt: 14 * Self.second) == nil)
    // Seen again, it is not newer.
    #expect(state.apply(values, seenAt: 20 * Self.second) == nil)
    var other: MemberID?
    func renew(_ state: inout EtcdState, at seconds: Int64) -> ClaimReply {
      let number = UInt64(seconds)
      return state.perform(
        ClaimBatch(number: number, member: other, facts: facts),
        turn(at: seconds, instance: 8, [number: seconds * Self.second]))
    }
    for seconds: Int64 in [16, 25, 33] { other = renew(&state, at: seconds).member }
    func members(at seconds: Int64) -> [MemberID] {
      var state = state
      let reply = renew(&state, at: seconds)
      return reply.news?.members.filter { $0.id == member }.map(\.id) ?? []
    }
    #expect(members(at: 34) == [member])
    #expect(members(at: 35).isEmpty)
  }

  @Test(arguments: [
    #"meta | {"version":1,"stamp":1,"lastMember":18446744073709551615,"lastToken":0,"members":[]}"#,
    #"meta | {"version":1,"stamp":1,"lastMember":0,"lastToken":18446744073709551615,"members":[]}"#,
    #"job/a | {"schedule":1,"since":0,"ranCount":9223372036854775807,"slots":[]}"#,
    #"job/a | {"schedule":1,"since":0,"ranCount":-1,"slots":[]}"#,
    #"job/a | {"schedule":1,"since":0,"ranCount":0,"slots":[{"slot":1,"state":"open","token":18446744073709551615,"at":1}]}"#,
    #"job/a | {"schedule":1,"since":0,"ranCount":0,"slots":[{"slot":1,"state":"open","attempt":9223372036854775807,"at":1}]}"#,
    #"past/a | {"ranges":[{"first":0,"last":1,"count":-5,"kind":"ran"}],"series":[],"doubled":[]}"#,
    #"past/a | {"ranges":[],"series":[{"first":0,"last":1,"count":9223372036854775807,"verdict":"ran"}],"doubled":[]}"#,
    #"past/a | {"ranges":[{"first":0,"last":-9223372036854775807,"count":1,"kind":"ran"}],"series":[],"doubled":[]}"#,
    #"past/a | {"ranges":[],"series":[{"first":2,"last":1,"count":2,"verdict":"ran"}],"doubled":[]}"#,
  ])
  func `a record with a number that no takt writes is one that cannot be read`(row: String) throws {
    let parts = row.split(separator: " | ", maxSplits: 1).map(String.init)
    try #require(parts.count == 2)
    var state = EtcdState(prefix: "/takt/x/")
    let key = "/takt/x/\(parts[0])"
    let value = EtcdMessage.KeyValue(
      key: EtcdMessage.base64(key), value: EtcdMessage.base64(parts[1]))
    #expect(state.apply([value], seenAt: 0) == key)
  }

  @Test func `a range of more slots than memory holds is verified as a range`() throws {
    var reading = EtcdReading(cluster: "x", at: turn(at: 0, instance: 1).now)
    let records = [
      ("job/a", #"{"schedule":1,"since":0,"ranCount":0,"slots":[]}"#),
      (
        "past/a",
        #"{"ranges":[{"first":0,"last":1700000000000000000,"count":1700000000001,"kind":"ran"}],"#
          + #""series":[],"doubled":[]}"#
      ),
    ]
    let isRead = reading.apply(records.map { (key: $0.0, value: Array($0.1.utf8)) })
    #expect(isRead)
    let slots = try #require(reading.history.first?.slots)
    #expect(slots.entries.isEmpty && slots.ranges.map(\.count) == [1_700_000_000_001])
  }
}
