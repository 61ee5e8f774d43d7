/// What can happen to a timer machine.
public enum TimerEvent: String, Sendable, Hashable, CaseIterable, Codable {
  /// Start with a schedule.
  case activate
  /// Stop firing, keep the schedule.
  case suspend
  /// Go on after `suspend`.
  case resume
  /// Take another schedule without a change of state.
  case reschedule
  /// The armed deadline came and its delivery was claimed.
  case fire
  /// One delivery outside the schedule, asked for by the user.
  case fireNow
  /// End.
  case cancel
  /// The last reference to the machine is gone.
  case release
}
