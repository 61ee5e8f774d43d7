import GRDB
import TaktCore
import Testing

@testable import TaktStore
import TaktTime
import FoundationEssentials

/// The outputs of all attempts, in a ledger of this version and of the one before.
@Suite struct AttemptOutputsTests {
  private func output(_ text: String) -> KeptOutput { KeptOutput(head: Array(text.utf8)) }

  private func read(_ bench: LedgerBench, _ run: UInt64) throws -> [String] {
    try LedgerArchive(folder: bench.folder.path).outputs(of: RunID(run)).map {
      "\($0.attempt) \(String(decoding: $0.output.head + $0.output.tail, as: UTF8.self))"
    }
  }

  @Test func `each attempt's output is read by its number`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load + job.begins(1, run: 1))
    bench.ledger?.record([.attemptOutput(RunID(1), attempt: 1, output("one"), at: job.slot(1))])
    bench.keep([
      .attemptBegan(RunID(1), attempt: 2, at: job.slot(1)),
      .attemptOutput(RunID(1), attempt: 2, output("two"), at: job.slot(1)),
    ])
    #expect(try read(bench, 1) == ["1 one", "2 two"])
    var end = try #require(Self.record(job.ends(1, run: 1, output: output("three"))))
    end.attempts = 3
    bench.keep([.ended(end)])
    #expect(try read(bench, 1) == ["1 one", "2 two", "3 three"])
    #expect(try read(bench, 2).isEmpty)
    bench.close()
    #expect(try bench.audit().isBalanced)
  }

  @Test func `when and from where an output came is kept with it`() throws {
    let (bench, job) = try LedgerBench.opened()
    let marks = [
      OutputMark(stream: .stdout, at: job.slot(1)),
      OutputMark(offset: 3, stream: .stderr, at: job.slot(2)),
    ]
    let marked = KeptOutput(head: Array("onetwo".utf8), marks: marks)
    bench.ledger?.record(job.load + job.begins(1, run: 1))
    bench.ledger?.record([
      .attemptOutput(RunID(1), attempt: 1, marked, at: job.slot(1)),
      .attemptBegan(RunID(1), attempt: 2, at: job.slot(1)),
    ])
    var end = try #require(Self.record(job.ends(1, run: 1, output: marked)))
    end.attempts = 2
    bench.keep([.ended(end)])
    let kept = try LedgerArchive(folder: bench.folder.path).outputs(of: RunID(1))
    #expect(kept.map(\.output.marks) == [marks, marks])
    bench.close()
  }

  @Test func `an output of an earlier version has no marks`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load + job.runs(1, run: 1))
    bench.keep(job.begins(2, run: 2) + job.ends(2, run: 2, output: output("old")))
    bench.close()
    let queue = try DatabaseQueue(path: bench.path)
    try queue.write { try $0.execute(sql: "UPDATE outputs SET marks = NULL") }
    let kept = try LedgerArchive(folder: bench.folder.path).outputs(of: RunID(2))
    #expect(kept.map(\.output.marks) == [[]] && kept.first?.output.head == Array("old".utf8))
    #expect(kept.first?.output.pieces.map(\.mark) == [nil])
  }

  private static func record(_ entries: [LedgerEntry]) -> RunRecord? {
    for case .ended(let record) in entries { return record }
    return nil
  }

  @Test func `of very many attempts the newest are kept`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load + job.begins(1, run: 1))
    for attempt in 1...250 {
      bench.ledger?.record([
        .attemptOutput(RunID(1), attempt: attempt, output("x"), at: job.slot(1))
      ])
    }
    #expect(bench.isKept())
    let kept = try LedgerArchive(folder: bench.folder.path).outputs(of: RunID(1)).map(\.attempt)
    #expect(kept == Array(152...250))
    bench.close()
  }

  @Test func `outputs of attempts go with their age and with their runs`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load)
    for index in 1...100 {
      let run = UInt64(index)
      bench.ledger?.record(
        job.begins(index, run: run)
          + [.attemptOutput(RunID(run), attempt: 1, output("x"), at: job.slot(index))]
          + job.ends(index, run: run))
    }
    bench.closeKept()
    func count() throws -> Int? {
      try bench.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM attempt_outputs") }
    }
    func prune(_ history: History) throws {
      let retention = LedgerRetention(
        history: history, startingAt: MonotonicInstant(nanoseconds: 0))
      try bench.sql { db in
        var hasMore = true
        while hasMore { hasMore = try retention.prune(db, at: job.slot(100)) }
      }
    }
    var history = History()
    history.output = .seconds(50)
    try prune(history)
    #expect(try count() == 51)
    history.runsMax = 10
    try prune(history)
    #expect(try count() == 10)
  }

  @Test func `what does not fit into memory is counted, attempts and ends together`() throws {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    var bounds = SQLiteLedger.Bounds()
    // Four times as much while it can be written.
    bounds.outputBytesMax = 2
    try bench.open(bounds: bounds)
    bench.keep(
      job.load + job.begins(1, run: 1)
        + [.attemptOutput(RunID(1), attempt: 1, output("12345"), at: job.slot(1))]
        + job.begins(2, run: 2) + job.ends(2, run: 2, output: output("67890")))
    let archive = try LedgerArchive(folder: bench.folder.path)
    #expect(try archive.outputs(of: RunID(1)).first?.output.droppedBytes == 0)
    // Both ends of the other, as far as there is room.
    let shortened = try archive.outputs(of: RunID(2)).first?.output
    #expect(shortened == KeptOutput(head: Array("6".utf8), tail: Array("90".utf8), droppedBytes: 2))
    bench.close()
  }

  /// As the version before has made it: the migration of that version, and its rows.
  @Test func `outputs in a ledger of the version before stay readable`() throws {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    try bench.sql { db in try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    let queue = try DatabaseQueue(path: bench.path)
    try LedgerSchema.migrator.migrate(queue, upTo: "1 books")
    try queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO jobs (id, name) VALUES (1, 'a');
          INSERT INTO runs (run, job, slot, kind, delivery, began_at, attempts, outcome, reason,
            ended_at, duration_us)
          VALUES (7, 1, 1790000001000, 'manual', 'best_effort', 1790000001000, 3, 'failed',
            'exit(1)', 1790000002000, 1000000);
          INSERT INTO outputs (run, at, head, tail, dropped)
          VALUES (7, 1790000002000, CAST('old' AS BLOB), x'', 0);
          """)
    }
    try queue.close()
    // Read before a daemon of this version has opened it, and after.
    #expect(try read(bench, 7) == ["3 old"])
    try bench.open()
    #expect(bench.isKept())
    #expect(try read(bench, 7) == ["3 old"])
    bench.keep(job.load + job.runs(1, run: 8))
    bench.close()
    #expect(try read(bench, 7) == ["3 old"])
  }
}
