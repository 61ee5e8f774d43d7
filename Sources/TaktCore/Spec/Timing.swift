/// The part of a job that its timer follows: when this changes, a reload arms the timer anew.
public struct Timing: Hashable, Sendable {
  /// When the job is due.
  public var schedule: Schedule
  /// How late a slot may start, so that one wake serves many. Default none.
  public var leeway: Leeway
  /// False: nothing is armed, and slots that pass are recorded as skipped. Default true.
  public var isEnabled: Bool

  /// When a job is due.
  public init(schedule: Schedule, leeway: Leeway = .none, isEnabled: Bool = true) {
    self.schedule = schedule
    self.leeway = leeway
    self.isEnabled = isEnabled
  }
}

/// How late a slot may start, measured from its due instant.
public enum Leeway: Hashable, Sendable {
  /// A fixed time. `.zero` is none.
  case duration(Duration)
  /// A share of the gap to the next nominal instant, 0 to 100.
  case percent(Double)

  /// No leeway: start at once.
  public static let none = Leeway.duration(.zero)
}
