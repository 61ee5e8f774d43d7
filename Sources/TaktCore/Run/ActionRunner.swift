/// Starts and stops attempts. Completions come back as events, each exactly once: for every attempt
/// one `actionEnded`, and, if that reported remaining descendants, one `groupEnded`.
///
/// Called on the scheduler's queue; never blocks it.
package protocol ActionRunner: AnyObject, Sendable {
  /// Starts all attempts of one wake-up at once, so that they wake few threads.
  func start(_ requests: [AttemptRequest])

  /// Sends `signal` to all processes of the run's attempt. An attempt that is not yet started, or
  /// over, is stopped as soon as it can be; an unknown run is ignored.
  func stop(_ run: RunID, signal: StopSignal)
}
