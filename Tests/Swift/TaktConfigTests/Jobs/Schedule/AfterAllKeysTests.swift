import TaktCore
import Testing

@testable import TaktConfig

struct AfterAllKeysTests {
  @Test func `jobs are named alone or with the end that counts`() throws {
    let job = try spec(
      "after: {all: [other, {job: third, on: any}], on: failure, within: 6h}, run: x}, third: {on: start, run: x"
    )
    let all = try #require(job.timing.schedule.afterAll)
    #expect(all.parents.map { "\($0.job) \($0.condition)" } == ["other failure", "third any"])
    #expect(all.within == .seconds(6 * 3600))
    #expect(
      job.timing.schedule.words == [
        "when other has failed and third has ended since the last time, within 6h"
      ])
  }

  @Test func `it stands beside other triggers`() throws {
    let job = try spec("after: [{job: other, on: any}, {all: [other]}], every: 1h, run: x")
    #expect(job.timing.schedule.after.count == 1)
    #expect(job.timing.schedule.afterAll?.parents.count == 1)
  }

  @Test(arguments: [
    "conflictingKeys | after: {job: other, »all: [other]}, run: x",
    "missingKey | after: {job: other, »within: 1h}, run: x",
    "badValue | after: {all: »[]}, run: x",
    "wrongType | after: {all: »other}, run: x",
    "missingKey | after: {all: [»{on: any}]}, run: x",
    "duplicateKey | after: {all: [other, »other]}, run: x",
    "unknownJob | after: {all: [»othr]}, run: x",
    "badChoice | after: {all: [{job: other, on: »sometimes}]}, run: x",
    "badDuration | after: {all: [other], within: »6}, run: x",
    "outOfRange | after: {all: [other], within: »0s}, run: x",
    "conflictingKeys | after: [{all: [other]}, {»all: [other]}], run: x",
    "followingCycle | after: {all: [other, »a]}, run: x",
  ])
  func `a mistake is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs: {a: {\($0)}, other: {on: start, run: x}}\n" }
  }

  @Test func `shared jobs of a cluster cannot be gathered, and those of each machine can`() {
    func codes(_ machines: String, _ parent: String) -> [Diagnostic.Code] {
      load(
        """
        scheduler: {cluster: {engine: postgres}}
        jobs:
          a: {on: start, run: x\(parent)}
          all: {after: {all: [a]}, run: x\(machines)}

        """
      ).diagnostics.map(\.code)
    }
    let each = ", machines: each"
    #expect(codes("", "") == [.conflictingKeys])
    #expect(codes(each, "") == [.conflictingKeys])
    #expect(codes("", each) == [.conflictingKeys])
    #expect(codes(each, each) == [])
  }
}
