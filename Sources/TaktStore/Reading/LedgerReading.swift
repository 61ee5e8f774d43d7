internal import GRDB
import TaktCore
import TaktTime

/// The state that a new daemon continues from.
///
/// Invalid rows are skipped and counted: one of them does not keep takt from continuing with all
/// others.
final class LedgerReading {
  let db: Database
  /// Identifies this boot of the machine.
  let boot: String
  private let schedules: StoredSchedules
  private(set) var badRows = 0

  init(db: Database, boot: String, zones: any ZoneSource) {
    self.db = db
    self.boot = boot
    schedules = StoredSchedules(zones)
  }

  /// Nil for an invalid row, which is counted, and for one without a value.
  private func sense<Value>(_ row: Row, _ body: (Row) throws -> Value?) -> Value? {
    do {
      return try body(row)
    } catch {
      badRows += 1
      return nil
    }
  }

  /// - Parameter name: one job; nil for all.
  func previous(of name: JobName? = nil) throws -> PreviousState {
    var previous = PreviousState(lastRun: try lastRun())
    let number = try name.map { try self.number(of: $0) ?? -1 }
    let pending = try pendingSlots(number)
    let versions = try lastVersions(number)
    let sql = """
      SELECT jobs.*, daemons.boot AS boot FROM jobs LEFT JOIN daemons ON daemons.id = jobs.daemon
      WHERE clock_mark IS NOT NULL \(number.map { "AND jobs.id = \($0)" } ?? "")
      """
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      guard let job = sense(row, { try job($0, versions, pending) }) else { continue }
      previous.jobs[job.checkpoint.job] = job
    }
    previous.runs = try runs()
    return previous
  }

  private func job(
    _ row: Row, _ versions: [Int64: AuditedVersion], _ pending: [Int64: [WallInstant]]
  ) throws -> PreviousJob? {
    let number = try row.integer("id")
    guard let name = JobName(try row.text("name")), let version = versions[number] else {
      return nil
    }
    var own = version.begin
    own.job = name
    return PreviousJob(
      checkpoint: try Self.checkpoint(row, name), isSameBoot: try row.text(ifAny: "boot") == boot,
      version: own, isOpen: version.end == nil, pending: pending[number] ?? [])
  }

  /// The highest number of any run, those already deleted included.
  private func lastRun() throws -> UInt64 {
    let newest = try Int64.fetchOne(db, sql: "SELECT max(run) FROM runs") ?? 0
    let given =
      try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE key = 'runs_horizon'") ?? 0
    return UInt64(min(max(0, newest, given), Row.runMax))
  }

  private static func checkpoint(_ row: Row, _ name: JobName) throws -> JobCheckpoint {
    let cursor = CursorState(
      clockReading: try row.scheduleInstant("clock_label"),
      clockInstant: MonotonicInstant(nanoseconds: Int64(max(0, try row.integer("clock_ns")))),
      anchor: try row.scheduleInstant("anchor"),
      clockMark: try row.scheduleInstant("clock_mark"),
      wallMark: try row.scheduleInstant("wall_mark"),
      delayed: try row.scheduleInstant(ifAny: "delayed"),
      ahead: try row.text(ifAny: "ahead") ?? "")
    var suspension: Suspension?
    if let since = try row.instant(ifAny: "suspended_at") {
      suspension = Suspension(
        since: since, until: try row.instant(ifAny: "suspended_until"),
        reason: try row.text(ifAny: "suspend_reason") ?? "")
    }
    return JobCheckpoint(
      job: name, cursor: cursor, failureStreak: try row.count("streak"),
      ranCount: try row.count("ran"), suspension: suspension,
      alarms: try row.text(ifAny: "alarms").map { JobAlarms(text: $0) })
  }

  private func number(of job: JobName) throws -> Int64? {
    try Int64.fetchOne(db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
  }

  private func pendingSlots(_ number: Int64?) throws -> [Int64: [WallInstant]] {
    var slots: [Int64: [WallInstant]] = [:]
    let one = number.map { "WHERE job = \($0)" } ?? ""
    let rows = try Row.fetchCursor(
      db, sql: "SELECT job, slot FROM pending \(one) ORDER BY job, slot")
    while let row = try rows.next() {
      guard
        let (job, slot) = sense(row, { (try $0.integer("job"), try $0.instant("slot")) })
      else { continue }
      slots[job, default: []].append(slot)
    }
    return slots
  }

  /// The newest schedule of each job; the caller fills in the job's name.
  private func lastVersions(_ number: Int64?) throws -> [Int64: AuditedVersion] {
    var versions: [Int64: AuditedVersion] = [:]
    guard let placeholder = JobName("x") else { return [:] }
    let one = number.map { "WHERE job = \($0)" } ?? ""
    let sql = """
      SELECT * FROM schedules WHERE id IN (SELECT max(id) FROM schedules \(one) GROUP BY job)
      """
    let rows = try Row.fetchCursor(db, sql: sql)
    while let row = try rows.next() {
      guard
        let (job, version) = sense(
          row,
          { row in
            try Self.version(row, placeholder, schedules).map { (try row.integer("job"), $0) }
          })
      else { continue }
      versions[job] = version
    }
    return versions
  }

  static func version(
    _ row: Row, _ job: JobName, _ schedules: StoredSchedules
  ) throws -> AuditedVersion? {
    guard let schedule = schedules.schedule(try row.text("schedule")) else { return nil }
    let begin = ScheduleVersion(
      job: job, schedule: schedule, isEnabled: try row.integer("enabled") != 0,
      anchor: try row.scheduleInstant("anchor"),
      from: ScheduleEdge(
        clock: try row.scheduleInstant("clock_from"),
        wall: try row.scheduleInstant("wall_from"),
        at: try row.instant("began_at")),
      instantsFrom: try row.scheduleInstant(ifAny: "instants_from"))
    var end: ScheduleEdge?
    if let ended = try row.instant(ifAny: "ended_at") {
      end = ScheduleEdge(
        clock: try row.scheduleInstant("clock_to"),
        wall: try row.scheduleInstant("wall_to"), at: ended)
    }
    return AuditedVersion(begin: begin, end: end)
  }

  private func runs() throws -> [PreviousRun] {
    try Row.fetchAll(db, sql: RunRows.unfinishedSQL).compactMap { row in
      sense(row) { try $0.previousRun() }
    }
  }
}
