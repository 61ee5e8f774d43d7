import TaktTime

/// What becomes of what a run prints.
package struct OutputPolicy: Hashable, Sendable {
  /// When lines go to takt's log.
  package enum Logging: String, CaseIterable, Hashable, Sendable {
    /// Line by line as they come.
    case always = "true"
    case never = "false"
    /// When the attempt has failed: what is kept of its output, then.
    case onFailure = "on_failure"
  }

  /// What the log and mails show of colours and other sequences for terminals.
  package enum Colours: String, CaseIterable, Hashable, Sendable {
    /// The sequences as they came.
    case keep
    /// The text without them.
    case strip
    /// The text without them everywhere: in what is kept and in the file, too.
    case stripAll = "strip_all"
  }

  /// How the log has a line.
  package enum Format: String, CaseIterable, Hashable, Sendable {
    /// With its time, its job and its stream.
    case record
    /// Alone, as it was printed.
    case raw
  }

  /// How much of an attempt's output is kept: its first and its last bytes, half of each. Default
  /// 64 KB.
  package var keepBytes: Int
  /// When lines go to takt's log. Default always.
  package var logging: Logging
  /// How many lines a run may log; what is beyond is counted. Nil (the default) for no bound.
  package var rate: LineRate?
  /// A file that gets the output as well; nil (the default) for none.
  package var file: OutputFile?
  /// What the log and mails show of sequences for terminals. Default keep.
  package var colours = Colours.keep
  /// How the log has a line. Default record.
  package var format = Format.record
  /// Whether both streams of a command are one, whose order is as printed. Default false.
  package var isMerged = false

  package init(
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
package struct LineRate: Hashable, Sendable {
  package var lines: Int
  package var period: Duration

  package init(_ lines: Int, per period: Duration) {
    self.lines = lines
    self.period = period
  }
}

/// A file that output is appended to; when it is full it becomes `PATH.1`, what was that `PATH.2`,
/// and so on.
package struct OutputFile: Hashable, Sendable {
  /// The absolute path.
  package var path: String
  /// How long the file gets. Default 10 MB.
  package var sizeBytesMax: Int
  /// How many files there are, the one that grows among them. Default 3.
  package var files: Int

  package init(path: String, sizeBytesMax: Int = 10 * 1024 * 1024, files: Int = 3) {
    self.path = path
    self.sizeBytesMax = sizeBytesMax
    self.files = files
  }
}

extension OutputPolicy {
  var words: String? {
    JobKey.list([
      "keep \(SizeText.format(keepBytes))", "log \(logging.rawValue)",
      rate.map { "rate \($0.lines) per \(DurationText.format($0.period))" },
      file.map {
        "file \($0.path) of \(SizeText.format($0.sizeBytesMax)), \($0.files) files"
      },
      colours == .keep ? nil : "colors \(colours.rawValue)",
      format == .record ? nil : "format \(format.rawValue)", isMerged ? "merge" : nil,
    ])
  }
}
