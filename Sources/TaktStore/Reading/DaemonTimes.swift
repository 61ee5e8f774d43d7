internal import GRDB
package import TaktCore
package import TaktTime

/// Times with and without a daemon.
enum DaemonTimes {
  /// Only this many daemons are read, the newest.
  private static let countMax = 1000

  /// Times without a daemon that touch a range, in order.
  static func absences(
    in db: Database, from first: WallInstant, to last: WallInstant
  ) throws -> [DaemonAbsence] {
    let rows = try Row.fetchAll(
      db,
      sql: "SELECT up_at, seen_at, down_at FROM daemons ORDER BY id DESC LIMIT \(countMax)")
    var absences: [DaemonAbsence] = []
    var next: WallInstant?
    for row in rows {
      let down = try row.instant(ifAny: "down_at")
      let from = try down ?? row.instant("seen_at")
      // The last daemon of all may still run.
      let isOver = next != nil || down != nil
      if isOver, from <= last, next.map({ $0 >= first }) ?? true {
        absences.append(DaemonAbsence(from: from, to: next, wasKilled: down == nil))
      }
      next = try row.instant("up_at")
      if from < first { break }
    }
    return absences.reversed()
  }
}

extension LedgerArchive {
  package func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(Failure) -> [DaemonAbsence] {
    try read { try DaemonTimes.absences(in: $0, from: first, to: last) }
  }
}
