internal import GRDB
import TaktCore
import TaktTime

struct LedgerTransaction {
  let db: Database
  let statements: LedgerStatements
  let daemon: Int64
  /// Jobs that may have slots in `pending`.
  let pendingJobs: Set<JobName>
  /// Jobs that have slots in `pending` since this transaction.
  var newPendingJobs: Set<JobName> = []
  var jobs: JobSearch
  /// The jobs that have a checkpoint in the batch, and their numbers in the same order.
  var checkpoints = NewestCheckpoints()
  var markedNumbers: [Int64] = []

  init(
    db: Database, statements: LedgerStatements, daemon: Int64, known: JobNumbers,
    pendingJobs: Set<JobName>
  ) {
    self.db = db
    self.statements = statements
    self.daemon = daemon
    self.pendingJobs = pendingJobs
    jobs = JobSearch(db: db, statements: statements, known: known)
  }

  /// Numbers of jobs that this transaction has found or given; they count once it is committed.
  var learned: [JobName: Int64] { jobs.learned }

  mutating func write(_ batch: LedgerBatch, at now: WallInstant) throws {
    // First: the row of a new job is written once, with its checkpoint.
    try writeMarks(of: batch)
    try writeOthers(of: batch)
    for place in batch.verdicts {
      if case .verdict(let record) = batch.entries[place] { try write(record) }
    }
    for slot in batch.pending { try write(slot) }
    for (run, change) in batch.runs { try write(run, change) }
    for place in batch.parameters {
      if case .rare(.parameters(let parameters, let run)) = batch.entries[place] {
        try write(parameters.value, of: run)
      }
    }
    for (attempt, facts) in batch.attempts { try write(attempt, facts) }
    for (run, process) in batch.processes { try write(run, process) }
    for (attempt, output, at) in batch.outputs { try write(attempt, output, at) }
    try execute("UPDATE daemons SET seen_at = ? WHERE id = ?") {
      $0.add(now.milliseconds)
      $0.add(daemon)
    }
  }

  /// A new number for a name that is not known.
  mutating func number(of job: JobName) throws -> Int64 {
    if let index = checkpoints.index(of: job) { return markedNumbers[index] }
    if let number = try jobs.number(of: job) { return number }
    let number = try jobs.newNumber()
    try execute("INSERT INTO jobs (id, name) VALUES (?, ?)") {
      $0.add(number)
      $0.add(job.text)
    }
    jobs.learn(job, number)
    return number
  }

  func execute(_ sql: StaticString, _ bind: (inout BoundValues) -> Void) throws {
    try statements.execute(sql, in: db, bind)
  }
}
