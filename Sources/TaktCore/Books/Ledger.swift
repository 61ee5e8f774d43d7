/// Where verdicts are kept.
///
/// Called on the scheduler's queue; never blocks it, never fails it.
public protocol Ledger: AnyObject, Sendable {
  /// Keeps a verdict.
  func record(_ record: VerdictRecord)
}
