/// Why a ledger cannot be used at all.
package enum LedgerOpenFailure: Error, Hashable, Sendable {
  /// A newer takt has written it.
  case newer(path: String)
  /// A file of it may be another user's work.
  case refused(StateFolderProblem)
}
