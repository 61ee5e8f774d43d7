import TaktCore

/// The results of the runs of a job's last slots: a bit for each slot, the lowest for the newest.
struct SlotRuns {
  private static let countMax = JobHistory.outcomesMax

  private var active: UInt32 = 0
  private var failed: UInt32 = 0
  /// Runs whose ends are unknown, with the number of slots newer than theirs.
  private var open: [(run: RunID, age: Int)] = []
  /// Failed runs of previous daemons, for slots that are restored later.
  private var failedBefore: [RunID] = []

  /// Takes a decided slot: the others become one older.
  mutating func decided(_ run: RunID?) {
    active <<= 1
    failed <<= 1
    for place in open.indices { open[place].age += 1 }
    open.removeAll { $0.age >= Self.countMax }
    guard let run else { return }
    active |= 1
    open.append((run: run, age: 0))
  }

  mutating func ended(_ run: StoredRun) {
    guard let place = open.firstIndex(where: { $0.run == run.head.run }) else { return }
    let bit = UInt32(1) << UInt32(open.remove(at: place).age)
    active &= ~bit
    if Self.isFailure(run) { failed |= bit }
  }

  /// Takes a slot that was decided before those that are known.
  mutating func decidedOlder(_ run: RunID, age: Int) {
    if failedBefore.contains(run) {
      failed |= UInt32(1) << UInt32(age)
    } else {
      // Its end may be restored later; it is not known to be active.
      open.append((run: run, age: age))
    }
  }

  /// Takes a run that ended before those that are known.
  mutating func endedOlder(_ run: StoredRun) {
    ended(run)
    guard Self.isFailure(run), failedBefore.count < Self.countMax else { return }
    failedBefore.append(run.head.run)
  }

  var areAllWell: Bool { active | failed == 0 }

  /// `r` for a slot whose run has succeeded or was cancelled, `f` failed, `a` active.
  func letter(ofAge age: Int) -> UInt8 {
    let bit = UInt32(1) << UInt32(age)
    return failed & bit != 0
      ? UInt8(ascii: "f") : active & bit != 0 ? UInt8(ascii: "a") : UInt8(ascii: "r")
  }

  private static func isFailure(_ run: StoredRun) -> Bool {
    run.end.map { RunQuery.failures.contains($0.outcome) } ?? false
  }
}
