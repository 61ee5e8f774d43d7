/// Where verdicts and runs are kept.
///
/// Called on the scheduler's queue; never blocks it, never fails it.
public protocol Ledger: AnyObject, Sendable {
  /// Keeps a verdict.
  func record(_ record: VerdictRecord)

  /// Keeps a run that has ended. Unless implemented it is not kept.
  func record(_ run: RunRecord)
}

extension Ledger {
  /// Keeps nothing.
  public func record(_ run: RunRecord) {}
}
