/// Who measures how punctual slots are.
///
/// Called on the scheduler's queue, which it is not to keep.
package protocol SlotGauge: AnyObject, Sendable {
  /// A slot's run starts.
  func served(_ start: SlotStart)
}

/// A slot's run starts.
package struct SlotStart: Hashable, Sendable {
  /// Whose slot it is.
  package var job: JobName
  /// The run that serves it.
  package var run: RunID
  /// How long after it was due.
  package var lateness: Duration
  /// How much of that the job allows.
  package var window: Duration
  /// The job's class.
  package var qos: QoS
}
