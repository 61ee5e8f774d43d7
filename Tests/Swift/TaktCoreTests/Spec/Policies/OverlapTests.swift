import Testing

@testable import TaktCore

struct OverlapTests {
  private static let others: [(name: String, other: Overlap.Other)] = [
    ("a run", .init(.active)), ("a newer run", .init(.active, isNewer: true)),
    ("a queued run", .init(.queued)), ("a waiting slot", .init(.waiting)),
    ("a newer waiting slot", .init(.waiting, isNewer: true)),
  ]

  /// Of the same two slots, one machine and each engine make the same.
  @Test(arguments: [
    "skip | a run | refused", "skip | a newer run | refused", "skip | a queued run | refused",
    "skip | a waiting slot | starts", "skip | a newer waiting slot | starts",
    "queue | a run | waits", "queue | a newer run | waits", "queue | a queued run | waits",
    "queue | a waiting slot | starts", "queue | a newer waiting slot | starts",
    "replace | a run | waits, replaces", "replace | a newer run | passed, replaces",
    "replace | a queued run | waits, replaces", "replace | a waiting slot | starts",
    "replace | a newer waiting slot | starts",
    "allow | a run | starts", "allow | a newer run | starts", "allow | a queued run | starts",
    "allow | a waiting slot | starts", "allow | a newer waiting slot | starts",
  ])
  func `a slot meets another one`(row: String) throws {
    let parts = row.split(separator: " | ").map(String.init)
    let overlap = try #require(Overlap(rawValue: parts[0]))
    let other = try #require(Self.others.first { $0.name == parts[1] }).other
    let replaces = overlap.replaces(other) ? ", replaces" : ""
    #expect("\(overlap.fate(meeting: other))\(replaces)" == parts[2])
  }

  @Test(arguments: [
    (Overlap.skip, Overlap.Meeting.refusal), (.queue, .wait), (.replace, .stop),
    (.allow, .parallel),
  ])
  func `the words for people follow the rules`(overlap: Overlap, meeting: Overlap.Meeting) {
    #expect(overlap.meeting == meeting)
  }
}
