/// Where verdicts and runs are kept, and all that outlives takt.
///
/// Safe from any thread; never blocks and never fails its caller.
package protocol Ledger: AnyObject, Sendable {
  /// Takes entries that belong together: they are kept all or none, after those of earlier calls.
  func record(_ entries: [LedgerEntry])

  /// Calls `done` once all that was recorded before this call is kept for certain, even if the
  /// machine loses its power; never when it is not.
  func whenKept(_ done: @escaping @Sendable () -> Void)
}

extension Ledger {
  /// Takes one entry.
  package func record(_ entry: LedgerEntry) { record([entry]) }
}
