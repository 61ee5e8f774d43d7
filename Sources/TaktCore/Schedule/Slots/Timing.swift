import TaktTime

/// The part of a job that its timer follows: when this changes, a reload arms the timer anew.
package struct Timing: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var schedule: Schedule
    var leeway: Leeway
    var spread: Spread?
    var jitter = Duration.zero
    var isEnabled: Bool
  }

  private var fields: Shared<Fields>

  package var schedule: Schedule {
    _read { yield fields.value.schedule }
    set { fields.change { $0.schedule = newValue } }
  }
  /// How late a slot may start, so that one wake serves many. Default none.
  package var leeway: Leeway {
    _read { yield fields.value.leeway }
    set { fields.change { $0.leeway = newValue } }
  }
  /// How far each job of many is put off, so that they do not all start at once; nil (the default)
  /// for not at all.
  package var spread: Spread? {
    _read { yield fields.value.spread }
    set { fields.change { $0.spread = newValue } }
  }
  /// How far each slot is put off at most, by a number that the job and the slot determine. Default
  /// none.
  package var jitter: Duration {
    get { fields.value.jitter }
    set { fields.change { $0.jitter = newValue } }
  }
  /// False: nothing is armed, and slots that pass are recorded as skipped. Default true.
  package var isEnabled: Bool {
    get { fields.value.isEnabled }
    set { fields.change { $0.isEnabled = newValue } }
  }

  package init(
    schedule: Schedule, leeway: Leeway = .none, spread: Spread? = nil, jitter: Duration = .zero,
    isEnabled: Bool = true
  ) {
    fields = Shared(
      Fields(
        schedule: schedule, leeway: leeway, spread: spread, jitter: jitter, isEnabled: isEnabled))
  }
}

/// How far a job's slots are put off: always alike for the same job.
package struct Spread: Hashable, Sendable {
  /// They are put off by less than this.
  package var over: Duration
  /// What determines by how much: the job's name, with the host's where each host is to have its own.
  package var seed: String

  package init(over: Duration, seed: String) {
    self.over = over
    self.seed = seed
  }

  /// By how much, in whole milliseconds.
  package var offset: Duration {
    .milliseconds(Int64(StableHash.of(seed) % UInt64(max(1, over.milliseconds))))
  }
}

extension Timing {
  /// How long after its instant a slot may start at most.
  var reach: Duration {
    var reach = (spread?.offset ?? .zero) + jitter
    if case .duration(let leeway) = leeway { reach += leeway }
    return reach
  }

  /// How far spread and jitter put off a slot, before anything is cut.
  func offset(of nominal: WallInstant, _ job: JobName) -> Duration {
    var offset = spread?.offset ?? .zero
    if jitter > .zero {
      let hash = StableHash.of("\(job.text) \(nominal.milliseconds)")
      offset += .milliseconds(Int64(hash % UInt64(max(1, jitter.milliseconds + 1))))
    }
    return offset
  }
}

/// How late a slot may start, measured from its due instant.
package enum Leeway: Hashable, Sendable {
  /// A fixed time. `.zero` is none.
  case duration(Duration)
  /// A share of the gap to the next nominal instant, 0 to 100.
  case percent(Double)

  /// No leeway: start at once.
  package static let none = Leeway.duration(.zero)
}
