internal import GRDB
import TaktCore

/// What of the ledger a takt that starts goes on with.
struct LedgerReading {
  let db: Database
  /// What tells this start of the machine from others.
  let boot: String

  func former() throws -> FormerBooks {
    var former = FormerBooks(lastRun: try lastRun())
    let pending = try pendingSlots()
    let versions = try lastVersions()
    let sql = """
      SELECT jobs.*, daemons.boot AS boot FROM jobs LEFT JOIN daemons ON daemons.id = jobs.daemon
      WHERE clock_mark IS NOT NULL
      """
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      let number: Int64 = row["id"]
      guard let name = JobName(row["name"]), let version = versions[number] else { continue }
      var own = version.begin
      own.job = name
      former.jobs[name] = FormerJob(
        mark: Self.mark(row, name), isSameBoot: row["boot"] == boot, version: own,
        isOpen: version.end == nil, pending: pending[number] ?? [])
    }
    former.runs = try runs()
    return former
  }

  private func lastRun() throws -> UInt64 {
    UInt64(max(0, try Int64.fetchOne(db, sql: "SELECT max(run) FROM runs") ?? 0))
  }

  private static func mark(_ row: Row, _ name: JobName) -> JobMark {
    let cursor = CursorState(
      clockLabel: row["clock_label"], clockInstant: MonotonicInstant(nanoseconds: row["clock_ns"]),
      anchor: row["anchor"], clockMark: row["clock_mark"], wallMark: row["wall_mark"],
      delayed: row["delayed"], ahead: row["ahead"] ?? "")
    let since: Int64? = row["suspended_at"]
    let until: Int64? = row["suspended_until"]
    return JobMark(
      job: name, cursor: cursor, failureStreak: row["streak"], ranCount: row["ran"],
      suspension: since.map {
        Suspension(
          since: WallInstant(milliseconds: $0),
          until: until.map { WallInstant(milliseconds: $0) }, reason: row["suspend_reason"] ?? "")
      })
  }

  private func pendingSlots() throws -> [Int64: [WallInstant]] {
    var slots: [Int64: [WallInstant]] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT job, slot FROM pending ORDER BY job, slot")
    while let row = try rows.next() {
      slots[row["job"], default: []].append(WallInstant(milliseconds: row["slot"]))
    }
    return slots
  }

  /// The newest schedule of each job; the job's name is left to the caller.
  private func lastVersions() throws -> [Int64: AuditedVersion] {
    var versions: [Int64: AuditedVersion] = [:]
    let sql = "SELECT * FROM schedules WHERE id IN (SELECT max(id) FROM schedules GROUP BY job)"
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      guard let nobody = JobName("x"), let version = Self.version(row, nobody) else { continue }
      versions[row["job"]] = version
    }
    return versions
  }

  /// Nil for a schedule that cannot be read.
  static func version(_ row: Row, _ job: JobName) -> AuditedVersion? {
    guard let schedule = StoredSchedule.schedule(row["schedule"]) else { return nil }
    let begin = ScheduleVersion(
      job: job, schedule: schedule, isEnabled: row["enabled"], anchor: row["anchor"],
      from: ScheduleEdge(
        clock: row["clock_from"], wall: row["wall_from"],
        at: WallInstant(milliseconds: row["began_at"])), instantsFrom: row["instants_from"])
    let ended: Int64? = row["ended_at"]
    return AuditedVersion(
      begin: begin,
      end: ended.map {
        ScheduleEdge(
          clock: row["clock_to"], wall: row["wall_to"], at: WallInstant(milliseconds: $0))
      })
  }

  private func runs() throws -> [FormerRun] {
    let sql = """
      SELECT runs.*, jobs.name AS name FROM runs JOIN jobs ON jobs.id = runs.job
      WHERE outcome IS NULL OR retry_at IS NOT NULL ORDER BY run
      """
    return try Row.fetchAll(db, sql: sql).compactMap { row in
      guard let job = JobName(row["name"]), let kind = RunBeginning.Kind(rawValue: row["kind"])
      else { return nil }
      let began: Int64? = row["began_at"]
      let claimed: Int64? = row["claimed_at"]
      let parent: Int64? = row["parent"]
      let beginning = RunBeginning(
        run: Self.run(row["run"]), job: job, slot: WallInstant(milliseconds: row["slot"]),
        kind: kind, delivery: Delivery(rawValue: row["delivery"]) ?? .bestEffort, attempt: 1,
        hook: (row["hook"] as String?).flatMap(HookKind.init), parent: parent.map(Self.run),
        at: WallInstant(milliseconds: began ?? claimed ?? 0))
      return FormerRun(
        beginning: beginning, isUndecided: began == nil && kind == .slot,
        attempts: row["attempts"], retry: Self.retry(row), isEnded: row["outcome"] != nil)
    }
  }

  private static func retry(_ row: Row) -> RetryPosition? {
    guard let until = row["retry_at"] as Int64? else { return nil }
    let outcome = (row["retry_outcome"] as String?).flatMap(Outcome.init) ?? .failed
    return RetryPosition(
      attempt: row["retry_attempt"], until: WallInstant(milliseconds: until),
      end: RunEnd(outcome, .reported(row["retry_reason"] ?? "")))
  }

  static func run(_ number: Int64) -> RunID { RunID(UInt64(max(0, number))) }
}
