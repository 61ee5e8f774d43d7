import Testing

@testable import TaktCore

/// Reports of jobs that no machine may run, without a scheduler.
struct UnplacedJobsTests {
  private let east = [JobID(index: 1): ["site": "east"]]
  private let west = [JobID(index: 1): ["site": "west"]]

  @Test func `jobs are looked through when they or the machines have changed`() {
    var unplaced = UnplacedJobs()
    #expect(unplaced.meet([["site": "west"]]) == true)
    #expect(unplaced.meet([["site": "west"]]) == false)
    #expect(unplaced.meet([]) == true)
    unplaced.noteJobsChanged()
    #expect(unplaced.meet([]) == true)
  }

  @Test func `only what lasts is reported, once, and so is its end`() {
    var unplaced = UnplacedJobs()
    let first = unplaced.update(east)
    #expect(first.missing.isEmpty && first.resolved.isEmpty)
    let second = unplaced.update(east)
    #expect(second.missing == east)
    let third = unplaced.update(east)
    #expect(third.missing.isEmpty && third.resolved.isEmpty)
    let last = unplaced.update([:])
    #expect(last.missing.isEmpty && last.resolved == east)
  }

  @Test func `a machine that is away for a moment is not reported`() {
    var unplaced = UnplacedJobs()
    for found in [east, [:], east, [:]] {
      let news = unplaced.update(found)
      #expect(news.missing.isEmpty && news.resolved.isEmpty)
    }
  }

  @Test func `a job that wants other labels is another report`() {
    var unplaced = UnplacedJobs()
    for _ in 1...2 { _ = unplaced.update(east) }
    let changed = unplaced.update(west)
    #expect(changed.missing.isEmpty && changed.resolved.isEmpty)
    let lasting = unplaced.update(west)
    #expect(lasting.missing == west)
  }
}
