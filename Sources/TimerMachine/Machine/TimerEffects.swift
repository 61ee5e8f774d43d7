/// What a machine has to do for a transition besides taking the new state.
public struct TimerEffects: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// The set with these bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Arm the adapter for the next deadline.
  public static let arm = TimerEffects(rawValue: 1 << 0)
  /// Disarm the adapter.
  public static let disarm = TimerEffects(rawValue: 1 << 1)
  /// Begin a new generation: nothing armed before may be claimed after.
  public static let newGeneration = TimerEffects(rawValue: 1 << 2)
  /// Call the handler once.
  public static let deliver = TimerEffects(rawValue: 1 << 3)
}
