import Dispatch

extension CoalescingTimerFactory {
  /// The factory that the whole process can share.
  public static let shared = CoalescingTimerFactory(
    queue: DispatchQueue(label: "TimerMachine.shared"))
}
