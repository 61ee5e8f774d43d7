/// Keeps a clock-step handler alive; releasing it ends the calls.
public final class ClockStepSubscription: Sendable {
  private let onRelease: @Sendable () -> Void

  /// A subscription that calls `onRelease` when it is released.
  public init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }
}
