/// What starts and stops attempts. Completions come back as events, each exactly once: for every
/// attempt one `actionEnded`, and, where that said that descendants were left, one `groupEnded`.
///
/// Called on the scheduler's queue; never blocks it.
package protocol ActionRunner: AnyObject, Sendable {
  /// Starts attempts: all that one wake has made, at once, so that they cost few wakes of threads.
  func start(_ requests: [AttemptRequest])

  /// Sends all that belongs to the run's attempt `signal`. An attempt that is not yet started, or
  /// over, is stopped as soon as it can be; a run that is unknown is passed over.
  func stop(_ run: RunID, signal: StopSignal)
}
