/// What a simulation found, in the order of time: the input of a `TimelinePicture`.
///
/// All instants are milliseconds since 1970-01-01T00:00:00Z. What lies outside `from...to` may be
/// there; it is neither drawn nor counted.
public struct Timeline: Sendable {
  /// What became of a slot.
  public enum Verdict: String, CaseIterable, Sendable {
    case ran, skipped, coalesced, missed, cancelled
  }

  /// One slot of a job.
  public struct Mark: Sendable {
    /// The due instant.
    public var at: Int64
    /// Up to when the slot may start and still count; `at` when there is no leeway.
    public var windowEnd: Int64
    /// What became of the slot.
    public var verdict: Verdict

    /// A slot due at `at`.
    public init(at: Int64, windowEnd: Int64, verdict: Verdict) {
      self.at = at
      self.windowEnd = windowEnd
      self.verdict = verdict
    }
  }

  /// One run of a job.
  public struct Bar: Sendable {
    /// When the run began.
    public var from: Int64
    /// When the run ended. Not after `from`: the run took no time that could be seen.
    public var to: Int64
    /// Whether the run ended badly.
    public var isFailed: Bool

    /// A run that took from `from` to `to`.
    public init(from: Int64, to: Int64, isFailed: Bool) {
      self.from = from
      self.to = to
      self.isFailed = isFailed
    }
  }

  /// One job with its slots and its runs.
  public struct Row: Sendable {
    /// The name of the job, at the left of its row. Any characters.
    public var name: String
    /// The slots, ascending by due instant.
    public var slots: [Mark]
    /// The runs, ascending by start.
    public var runs: [Bar]
    /// The schedule in few words: `every 10m, leeway 1m`.
    public var summary: String

    /// A job with its slots and its runs.
    public init(name: String, slots: [Mark], runs: [Bar], summary: String) {
      self.name = name
      self.slots = slots
      self.runs = runs
      self.summary = summary
    }
  }

  /// The offset of local time from an instant on.
  public struct ZoneOffset: Sendable {
    /// The instant the offset begins to hold.
    public var at: Int64
    /// What local time is ahead of UTC, in seconds; behind when negative.
    public var offsetSeconds: Int

    /// An offset that holds from `at` on.
    public init(at: Int64, offsetSeconds: Int) {
      self.at = at
      self.offsetSeconds = offsetSeconds
    }
  }

  /// Something that happened to all jobs: a fault, a change of the clock.
  public struct Event: Sendable {
    /// When it happened.
    public var at: Int64
    /// What happened, in few words.
    public var label: String

    /// Something that happened at `at`.
    public init(at: Int64, label: String) {
      self.at = at
      self.label = label
    }
  }

  /// The heading of the picture.
  public var title: String
  /// Where the time axis begins.
  public var from: Int64
  /// Where the time axis ends. Not after `from`: there is nothing to show.
  public var to: Int64
  /// The offsets of local time, ascending, the first at or before `from`. Empty: UTC.
  public var offsets: [ZoneOffset]
  /// The name of the zone, for people.
  public var zoneName: String
  /// The jobs, in the order they are to be shown.
  public var rows: [Row]
  /// When the process wakes, ascending.
  public var wakes: [Int64]
  /// What happened to all jobs, ascending.
  public var events: [Event]

  /// A timeline over `from...to`.
  public init(
    title: String, from: Int64, to: Int64, offsets: [ZoneOffset] = [], zoneName: String = "UTC",
    rows: [Row] = [], wakes: [Int64] = [], events: [Event] = []
  ) {
    self.title = title
    self.from = from
    self.to = to
    self.offsets = offsets
    self.zoneName = zoneName
    self.rows = rows
    self.wakes = wakes
    self.events = events
  }
}
