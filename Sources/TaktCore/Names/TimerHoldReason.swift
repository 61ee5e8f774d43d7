/// The reason why a job's timer stops firing while the job continues.
package enum TimerHoldReason: Hashable, Sendable {
  /// It runs, armed for nothing: its next instant is not known yet.
  case unarmed
  /// It is suspended, as its job is.
  case suspended
  /// It is cancelled: no slot is left.
  case over
}
