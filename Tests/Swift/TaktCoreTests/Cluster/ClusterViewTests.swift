import Testing

@testable import TaktCore

struct ClusterViewTests {
  private func member(
    _ number: UInt64, _ machine: String, _ host: String, isAlive: Bool = false
  ) -> ClusterNews.Member {
    ClusterNews.Member(
      id: MemberID(number),
      facts: MemberFacts(machine: machine, host: host, lease: .seconds(15), grace: .seconds(2)),
      isAlive: isAlive)
  }

  @Test func `a daemon that starts again after a crash does not warn of its own predecessor`() {
    let own = member(5, "a", "east1", isAlive: true)
    let view = ClusterView(
      settings: nil, facts: own.facts, member: own.id, lease: .seconds(15), failure: nil,
      members: [
        member(2, "a", "east1"), member(3, "b", "east2"), member(4, "a", "west1"), own,
        // A copy that started later, and is gone.
        member(6, "a", "east1"),
      ], waiting: [], unplaced: [])
    #expect(
      view.problems == [
        "machine 'b' (member 3) has not renewed its lease",
        "machine 'a' (member 4) has not renewed its lease",
        "machine 'a' (member 6) has not renewed its lease",
      ])
  }
}
