import TaktCore
import TaktTime

/// What a simulation found, in the order of time: the input of a `TimelinePicture`.
///
/// All instants are milliseconds since 1970-01-01T00:00:00Z. What lies outside `from...to` may be
/// there; it is neither drawn nor counted.
struct Timeline: Sendable {
  /// One slot of a job.
  struct Mark: Sendable {
    /// The due instant.
    var at: Int64
    /// Up to when the slot may start and still count; `at` when there is no leeway.
    var windowEnd: Int64
    var verdict: Verdict.Kind
  }

  /// One run of a job.
  struct Bar: Sendable {
    var from: Int64
    /// When the run ended. Not after `from`: the run took no time that could be seen.
    var to: Int64
    var isFailed: Bool
  }

  /// One job with its slots and its runs.
  struct Row: Sendable {
    /// The name of the job, at the left of its row. Any characters.
    var name: String
    /// The slots, ascending by due instant.
    var slots: [Mark]
    /// The runs, ascending by start.
    var runs: [Bar]
    /// The schedule in few words: `every 10m, leeway 1m`.
    var summary: String
  }

  /// Something that happened to all jobs: a fault, a change of the clock.
  struct Event: Sendable {
    var at: Int64
    /// What happened, in few words.
    var label: String
  }

  var title: String
  /// Where the time axis begins.
  var from: Int64
  /// Where the time axis ends. Not after `from`: there is nothing to show.
  var to: Int64
  /// The zone whose local time the axis shows.
  var zone = Zone.utc
  /// The jobs, in the order they are to be shown.
  var rows: [Row] = []
  /// When the process wakes, ascending.
  var wakes: [Int64] = []
  /// What happened to all jobs, ascending.
  var events: [Event] = []
}
