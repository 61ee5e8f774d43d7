/// The limits of the ledger.
package struct History: Hashable, Sendable {
  /// The age up to which verdicts and runs are kept. Default 30 days.
  package var keep = Duration.seconds(30 * 86_400)
  /// The number of runs that are kept, the newest ones. Default 100,000.
  package var runsMax = 100_000
  /// The age up to which output is kept. Default 7 days.
  package var output = Duration.seconds(7 * 86_400)
  /// The size beyond which the ledger's oldest entries are deleted sooner. Default 1 GB.
  package var sizeBytesMax = 1 << 30

  package init() {}
}

/// The place of takt's state.
package enum StateFolder: Hashable, Sendable {
  /// Absolute.
  case folder(String)
  /// None: anchors and history last as long as the process.
  case none
}
