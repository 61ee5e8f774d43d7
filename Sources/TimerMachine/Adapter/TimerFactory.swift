public import Dispatch
public import TaktTime

/// Makes the adapters of one kind: where a machine's alarms come from.
///
/// Write your own and run `TimerFactoryContract` of `TimerMachineTesting` on it. Safe from any
/// thread.
public protocol TimerFactory: AnyObject, Sendable {
  /// The clocks that deadlines are measured on.
  var time: any TimeSource { get }

  /// Makes an adapter that is armed for nothing.
  ///
  /// - Parameters:
  ///   - queue: where `onDue` is called. Its quality of service is that of the handlers.
  ///   - onDue: takes the ticket of the arming whose deadline has come. Two calls of one adapter
  ///     may overlap when `queue` is concurrent.
  func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter
}
