import TaktTime

/// The part of a job that its timer follows: when this changes, a reload arms the timer again.
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
  /// The longest delay of a slot's start, so that one wake-up serves many. Default none.
  package var leeway: Leeway {
    _read { yield fields.value.leeway }
    set { fields.change { $0.leeway = newValue } }
  }
  /// The delay of each job of many, so that they do not all start at once; nil (the default) for
  /// none.
  package var spread: Spread? {
    _read { yield fields.value.spread }
    set { fields.change { $0.spread = newValue } }
  }
  /// The longest delay of each slot, by a number that the job and the slot determine. Default none.
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

/// The delay of a job's slots: the same for each of them.
package struct Spread: Hashable, Sendable {
  /// The delay is less than this.
  package var over: Duration
  /// The source of the delay: the job's name, with the host's if each host is to have its own.
  package var seed: String

  package init(over: Duration, seed: String) {
    self.over = over
    self.seed = seed
  }

  /// In whole milliseconds.
  package var offset: Duration {
    .milliseconds(Int64(StableHash.of(seed) % UInt64(max(1, over.milliseconds))))
  }
}

extension Timing {
  /// The longest delay from a slot's instant to its start.
  var reach: Duration {
    var reach = (spread?.offset ?? .zero) + jitter
    if case .duration(let leeway) = leeway { reach += leeway }
    return reach
  }

  /// The delay by spread and jitter, before anything is cut.
  func offset(of nominal: WallInstant, _ job: JobName) -> Duration {
    var offset = spread?.offset ?? .zero
    if jitter > .zero {
      let hash = StableHash.of("\(job.text) \(nominal.milliseconds)")
      offset += .milliseconds(Int64(hash % UInt64(max(1, jitter.milliseconds + 1))))
    }
    return offset
  }
}

/// The longest delay of a slot's start, measured from its due instant.
package enum Leeway: Hashable, Sendable {
  /// A fixed time. `.zero` is none.
  case duration(Duration)
  /// A share of the gap to the next nominal instant, 0 to 100.
  case percent(Double)

  /// No leeway: start at once.
  package static let none = Leeway.duration(.zero)
}
