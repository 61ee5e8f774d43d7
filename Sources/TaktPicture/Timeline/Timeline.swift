import TaktCore
import TaktTime

/// The findings of a simulation, in the order of time: the input of a `TimelinePicture`.
///
/// All instants are milliseconds since 1970-01-01T00:00:00Z. Anything outside `from...to` is
/// allowed; it is neither drawn nor counted.
struct Timeline: Sendable {
  struct Mark: Sendable {
    /// The due instant.
    var at: Int64
    /// The last instant at which the slot may start and still count; `at` without leeway.
    var windowEnd: Int64
    var verdict: Verdict.Kind
  }

  struct Bar: Sendable {
    var from: Int64
    /// Not after `from` for a run too short to be measured.
    var to: Int64
    var isFailed: Bool
  }

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

  /// An event that concerns all jobs: a fault, a clock change.
  struct Event: Sendable {
    var at: Int64
    var label: String
  }

  var title: String
  var from: Int64
  /// Not after `from` if there is nothing to show.
  var to: Int64
  /// The zone whose local time the axis shows.
  var zone = Zone.utc
  /// In the order in which they are shown.
  var rows: [Row] = []
  /// Ascending.
  var wakes: [Int64] = []
  /// Ascending.
  var events: [Event] = []
}
