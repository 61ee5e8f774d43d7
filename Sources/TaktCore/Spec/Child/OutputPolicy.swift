import TaktTime

/// The treatment of a run's output.
package struct OutputPolicy: Hashable, Sendable {
  /// The time at which lines are logged.
  package enum Logging: String, CaseIterable, Hashable, Sendable {
    /// Line by line as they come.
    case always = "true"
    case never = "false"
    /// After a failure of the attempt: the kept part of its output.
    case onFailure = "on_failure"
  }

  /// The treatment of colors and other sequences for terminals in the log and in mails.
  package enum Colours: String, CaseIterable, Hashable, Sendable {
    /// The sequences as they came.
    case keep
    /// The text without them.
    case strip
    /// The text without them everywhere: in the kept output and in the file, too.
    case stripAll = "strip_all"
  }

  /// The form of a line in the log.
  package enum Format: String, CaseIterable, Hashable, Sendable {
    /// With its time, its job and its stream.
    case record
    /// Alone, as it was printed.
    case raw
  }

  /// Bytes of an attempt's output that are kept: half of them its first, half its last. Default 64
  /// KB.
  package var keepBytes: Int
  /// Default always.
  package var logging: Logging
  /// The most lines that a run may log; those beyond are counted. Nil (the default) for no bound.
  package var rate: LineRate?
  /// A file that gets the output as well; nil (the default) for none.
  package var file: OutputFile?
  /// Default keep.
  package var colours = Colours.keep
  /// Default record.
  package var format = Format.record
  /// True if both streams of a command are one, in the order as printed. Default false.
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

/// A number of lines in a time.
package struct LineRate: Hashable, Sendable {
  package var lines: Int
  package var period: Duration

  package init(_ lines: Int, per period: Duration) {
    self.lines = lines
    self.period = period
  }
}

/// A file that output is appended to; once it is full it becomes `PATH.1`, the previous `PATH.1`
/// becomes `PATH.2`, and so on.
package struct OutputFile: Hashable, Sendable {
  /// Absolute.
  package var path: String
  /// Default 10 MB.
  package var sizeBytesMax: Int
  /// The number of files, the present one included. Default 3.
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
