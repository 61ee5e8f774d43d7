/// How long the ledger keeps what.
package struct History: Hashable, Sendable {
  /// How long verdicts and runs are kept. Default 30 days.
  package var keep = Duration.seconds(30 * 86_400)
  /// How many runs are kept, the newest ones. Default 100,000.
  package var runsMax = 100_000
  /// How long what runs have printed is kept. Default 7 days.
  package var output = Duration.seconds(7 * 86_400)
  /// How large the ledger may be before its oldest entries go sooner. Default 1 GB.
  package var sizeBytesMax = 1 << 30

  package init() {}
}

/// Where takt keeps what outlives it.
package enum StateFolder: Hashable, Sendable {
  /// An absolute folder.
  case folder(String)
  /// Nowhere: anchors and history last as long as the process.
  case none
}
