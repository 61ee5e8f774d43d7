/// Who measures how punctual slots are.
///
/// Called on the scheduler's queue, which it is not to keep.
public protocol SlotGauge: AnyObject, Sendable {
  /// A slot's run starts.
  func served(_ start: SlotStart)
}

/// A slot's run starts.
public struct SlotStart: Hashable, Sendable {
  /// Whose slot it is.
  public var job: JobName
  /// The run that serves it.
  public var run: RunID
  /// How long after it was due.
  public var lateness: Duration
  /// How much of that the job allows.
  public var window: Duration
  /// The job's class.
  public var qos: QoS
}
