/// What a coalescing factory has done since it was made.
public struct WakeStatistics: Sendable, Hashable {
  /// Timers armed at this moment.
  public let armed: Int
  /// Times the alarm rang.
  public let wakes: UInt64
  /// Deadlines served, all wakes together.
  public let served: UInt64
  /// Times the alarm was set.
  public let alarmSettings: UInt64
  /// Heap nodes moved: the work of keeping order.
  public let heapMoves: UInt64
}
