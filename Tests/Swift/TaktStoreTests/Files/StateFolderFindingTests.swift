import TaktSystem
import Testing

@testable import TaktStore

/// The table by which a folder becomes the state folder, or does not: owner × mode × content.
@Suite struct StateFolderFindingTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var own: UInt32
    var owner: UInt32
    var mode: UInt32
    var contents = StateFolderFinding.Contents.nothing
    var isMount = false
    var hasOwnWithin = false
    var verdict: StateFolderFinding.Verdict

    var testDescription: String {
      "user \(own): owner \(owner), mode 0\(String(mode, radix: 8)), \(contents), "
        + "mount \(isMount), own folder \(hasOwnWithin) → \(verdict)"
    }
  }

  static let rows: [Row] = [
    // One's own folder that no other user may write to.
    Row(own: 0, owner: 0, mode: 0o700, verdict: .use),
    Row(own: 7, owner: 7, mode: 0o755, contents: .other, verdict: .use),
    Row(own: 7, owner: 7, mode: 0o700, contents: .state, verdict: .use),
    Row(own: 7, owner: 7, mode: 0o700, hasOwnWithin: true, verdict: .useWithin),
    // One's own folder that others may write to.
    Row(own: 7, owner: 7, mode: 0o770, verdict: .restrict),
    Row(own: 7, owner: 7, mode: 0o775, contents: .state, verdict: .restrict),
    Row(own: 7, owner: 7, mode: 0o770, contents: .other, verdict: .refuse(.writable(mode: 0o770))),
    Row(own: 7, owner: 7, mode: 0o777, verdict: .refuse(.writable(mode: 0o777))),
    Row(own: 7, owner: 7, mode: 0o1777, verdict: .refuse(.writable(mode: 0o1777))),
    Row(own: 7, owner: 7, mode: 0o1770, verdict: .refuse(.writable(mode: 0o1770))),
    Row(own: 0, owner: 0, mode: 0o770, verdict: .restrict),
    Row(own: 0, owner: 0, mode: 0o1777, verdict: .refuse(.writable(mode: 0o1777))),
    // Volumes, and what root has made for others.
    Row(own: 7, owner: 7, mode: 0o777, isMount: true, verdict: .makeWithin),
    Row(own: 7, owner: 0, mode: 0o755, verdict: .makeWithin),
    Row(own: 7, owner: 0, mode: 0o1777, contents: .other, verdict: .makeWithin),
    Row(own: 7, owner: 9, mode: 0o777, isMount: true, verdict: .makeWithin),
    Row(own: 7, owner: 65534, mode: 0o777, verdict: .makeWithin),
    Row(own: 0, owner: 0, mode: 0o777, isMount: true, verdict: .makeWithin),
    // Another user's.
    Row(own: 7, owner: 9, mode: 0o777, verdict: .refuse(.owner(9))),
    Row(own: 7, owner: 9, mode: 0o700, contents: .state, verdict: .refuse(.owner(9))),
    Row(own: 0, owner: 9, mode: 0o700, verdict: .refuse(.owner(9))),
    Row(own: 0, owner: 9, mode: 0o777, isMount: true, verdict: .refuse(.owner(9))),
    Row(own: 0, owner: 65534, mode: 0o755, verdict: .refuse(.owner(65534))),
  ]

  @Test(arguments: rows)
  func `a folder is used, divided, restricted or refused`(row: Row) {
    let finding = StateFolderFinding(
      owner: row.owner, mode: row.mode, contents: row.contents, isMount: row.isMount,
      hasOwnWithin: row.hasOwnWithin)
    #expect(finding.verdict(for: FileParties(own: row.own, unmapped: 65534)) == row.verdict)
  }
}
