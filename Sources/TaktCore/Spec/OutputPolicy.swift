/// What becomes of what a run prints.
public struct OutputPolicy: Hashable, Sendable {
  /// When lines go to takt's log.
  public enum Logging: String, CaseIterable, Hashable, Sendable {
    /// Line by line as they come.
    case always = "true"
    /// Never.
    case never = "false"
    /// When the attempt has failed: what is kept of its output, then.
    case onFailure = "on_failure"
  }

  /// How much of an attempt's output is kept: its first and its last bytes, half of each. Default
  /// 64 KB.
  public var keepBytes: Int
  /// When lines go to takt's log. Default always.
  public var logging: Logging
  /// How many lines a run may log; what is beyond is counted. Nil (the default) for no bound.
  public var rate: LineRate?
  /// A file that gets the output as well; nil (the default) for none.
  public var file: OutputFile?

  /// The defaults unless told otherwise.
  public init(
    keepBytes: Int = 64 * 1024, logging: Logging = .always, rate: LineRate? = nil,
    file: OutputFile? = nil
  ) {
    self.keepBytes = keepBytes
    self.logging = logging
    self.rate = rate
    self.file = file
  }
}

/// So many lines in a time.
public struct LineRate: Hashable, Sendable {
  /// How many.
  public var lines: Int
  /// In what time.
  public var period: Duration

  /// `lines` in each `period`.
  public init(_ lines: Int, per period: Duration) {
    self.lines = lines
    self.period = period
  }
}

/// A file that output is appended to; when it is full it becomes `PATH.1`, what was that `PATH.2`,
/// and so on.
public struct OutputFile: Hashable, Sendable {
  /// The absolute path.
  public var path: String
  /// How long the file gets. Default 10 MB.
  public var sizeBytesMax: Int
  /// How many files there are, the one that grows among them. Default 3.
  public var files: Int

  /// A file of at most 10 MB with two older ones unless told otherwise.
  public init(path: String, sizeBytesMax: Int = 10 * 1024 * 1024, files: Int = 3) {
    self.path = path
    self.sizeBytesMax = sizeBytesMax
    self.files = files
  }
}
