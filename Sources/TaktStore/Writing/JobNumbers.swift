internal import GRDB
import TaktCore

/// The numbers of jobs in the ledger that need no query: a bounded memory of those written last.
struct JobNumbers {
  /// More than most ledgers have jobs. A job beyond costs one query in each batch that names it.
  static let countMax = 10_000

  private var numbers: [JobName: Int64] = [:]

  subscript(job: JobName) -> Int64? { numbers[job] }

  /// Adds the numbers that a transaction has learned, in place of all older ones if there is no
  /// room.
  mutating func learn(_ learned: [JobName: Int64]) {
    guard !learned.isEmpty else { return }
    if numbers.isEmpty, learned.count <= Self.countMax {
      numbers = learned
      return
    }
    if numbers.count + learned.count > Self.countMax { numbers = [:] }
    for (job, number) in learned.prefix(Self.countMax) { numbers[job] = number }
  }
}

/// The numbers of jobs within one transaction, which gives numbers to new jobs.
struct JobSearch {
  let db: Database
  let statements: LedgerStatements
  let known: JobNumbers
  /// Numbers that the transaction has found or given; they count once it is committed.
  private(set) var learned: [JobName: Int64] = [:]
  /// Nil until it is needed.
  private var before: Before?
  /// For each job that the transaction adds.
  private var hasSchedule: [Bool] = []

  /// The state of the ledger before the transaction.
  private struct Before {
    var isEmpty: Bool
    /// 0 without a job.
    var highest: Int64

    /// The highest number accepted from an edited file, so that others can follow.
    static let highestMax = Int64(1) << 60
  }

  init(db: Database, statements: LedgerStatements, known: JobNumbers) {
    self.db = db
    self.statements = statements
    self.known = known
  }

  /// Nil for a job that is not in the ledger.
  mutating func number(of job: JobName) throws -> Int64? {
    if let number = known[job] ?? learned[job] { return number }
    guard try !findBefore().isEmpty else { return nil }
    let number = try statements.number("SELECT id FROM jobs WHERE name = ?", in: db) {
      $0.add(job.text)
    }
    if let number { learnIfRoom(job, number) }
    return number
  }

  /// The number of a new job, whose row the caller writes.
  mutating func newNumber() throws -> Int64 {
    let highest = try findBefore().highest
    hasSchedule.append(false)
    return highest + Int64(hasSchedule.count)
  }

  mutating func learn(_ job: JobName, _ number: Int64) { learned[job] = number }

  /// Like `learn`, for a number that can be found again.
  mutating func learnIfRoom(_ job: JobName, _ number: Int64) {
    if learned.count < JobNumbers.countMax { learned[job] = number }
  }

  /// Notes a schedule. True for the first one of a job that this transaction has added: it ends no
  /// other.
  mutating func isFirstSchedule(of job: Int64) -> Bool {
    guard let highest = before?.highest, job > highest else { return false }
    let index = Int(job - highest) - 1
    guard index < hasSchedule.count else { return false }
    defer { hasSchedule[index] = true }
    return !hasSchedule[index]
  }

  private mutating func findBefore() throws -> Before {
    if let before { return before }
    let number = try statements.number("SELECT max(id) FROM jobs", in: db) { _ in }
    let found = Before(isEmpty: number == nil, highest: min(max(0, number ?? 0), Before.highestMax))
    before = found
    return found
  }
}
