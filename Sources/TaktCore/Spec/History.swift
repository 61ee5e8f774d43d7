/// How long the ledger keeps what.
public struct History: Hashable, Sendable {
  /// How long verdicts and runs are kept. Default 30 days.
  public var keep = Duration.seconds(30 * 86_400)
  /// How many runs are kept, the newest ones. Default 100,000.
  public var runsMax = 100_000
  /// How long what runs have printed is kept. Default 7 days.
  public var output = Duration.seconds(7 * 86_400)
  /// How large the ledger may be before its oldest entries go sooner. Default 1 GB.
  public var sizeBytesMax = 1 << 30

  /// The defaults.
  public init() {}
}

/// Where takt keeps what outlives it.
public enum StateFolder: Hashable, Sendable {
  /// An absolute folder.
  case folder(String)
  /// Nowhere: anchors and books last as long as the process.
  case none
}
