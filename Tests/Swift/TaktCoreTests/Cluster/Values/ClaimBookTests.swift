import TaktTime
import Testing

@testable import TaktCore

/// A machine's requests for slots and their times, without a scheduler.
struct ClaimBookTests {
  private let job = JobID(index: 1)

  private func at(_ seconds: Int) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  private func key(_ second: Int, of job: JobID? = nil) -> ClaimBook.Key {
    ClaimBook.Key(job: job ?? self.job, slot: WallInstant(milliseconds: Int64(second) * 1000))
  }

  private func claim(_ phase: ClaimBook.Claim.Phase) -> ClaimBook.Claim {
    ClaimBook.Claim(
      slot: Slot(nominal: key(0).slot, causes: [], deadline: at(0)), phase: phase)
  }

  @Test func `the slots of a job are kept in their order, and apart from those of others`() {
    var book = ClaimBook()
    for second in [3, 1, 2] { book.add(claim(.behind), key(second)) }
    book.add(claim(.queued), key(0, of: JobID(index: 2)))
    #expect(book.keys(of: job) == [key(1), key(2), key(3)])
    #expect(book.count(of: job) == 3 && book.keys.count == 4)
    #expect(book.keys(in: .queued) == [key(0, of: JobID(index: 2))])
    #expect(book.remove(key(1)) != nil && book.remove(key(1)) == nil)
    #expect(book.oldest(of: job) == key(2))
  }

  @Test func `what is given up does not keep others behind it`() {
    var book = ClaimBook()
    for second in [1, 2] { book.add(claim(.queued), key(second)) }
    book.withdraw(key(1))
    #expect(book.oldest(of: job) == key(2))
    // Its answer is still to come.
    #expect(book.count(of: job) == 2)
  }

  @Test func `what was asked for a job that has gone counts for no job that gets its number`() {
    var book = ClaimBook()
    book.add(claim(.queued), key(1))
    book.withdraw(key(1))
    book.forget(job)
    #expect(book.count(of: job) == 0 && book.keys(of: job).isEmpty)
    // A grant that comes all the same is given back.
    #expect(book[key(1)]?.isWithdrawn == true)
    book.add(claim(.queued), key(2))
    book.remove(key(1))
    #expect(book.keys(of: job) == [key(2)])
  }

  @Test func `a claim has its turn once, at the time that it was put off to last`() {
    var book = ClaimBook()
    book.add(claim(.waits(at(5))), key(1))
    book.putOff(key(1), until: at(9))
    #expect(book.pop(at: at(8)) == nil)
    #expect(book.pop(at: at(9)) == key(1) && book.pop(at: at(9)) == nil)
  }

  @Test func `a claim that is asked for, or gone, has no turn`() {
    var book = ClaimBook()
    for second in [1, 2] { book.add(claim(.waits(at(second))), key(second)) }
    book.queue(key(1))
    book.remove(key(2))
    #expect(book.pop(at: at(10)) == nil && book.next == nil)
  }

  @Test func `by another clock all that waits has its turn now`() {
    var book = ClaimBook()
    book.add(claim(.waits(at(100))), key(1))
    book.hurry(to: at(2))
    #expect(book.pop(at: at(2)) == key(1))
  }

  @Test func `the first membership that may have asked for a slot counts`() {
    var book = ClaimBook()
    book.add(claim(.queued), key(1))
    book.noteAsked(key(1), as: MemberID(1))
    book.noteAsked(key(1), as: MemberID(2), isFirst: true)
    #expect(book[key(1)]?.askedAs == MemberID(1))
    book.noteAsked(key(1), as: MemberID(2))
    #expect(book[key(1)]?.askedAs == MemberID(2))
  }
}
