import Dispatch

/// Something that is armed in the wake queue: a machine, or an adapter made by the factory.
///
/// `@unchecked Sendable`: only `lastSlot` changes, and only the wake queue touches it, under its
/// lock.
class WakeClient: @unchecked Sendable {
  final var lastSlot = UInt32.max
  /// True if it is called in the wake itself, and not on a queue of its own.
  final let isHome: Bool

  init(isHome: Bool) {
    self.isHome = isHome
  }

  /// The queue of its calls unless `isHome`.
  ///
  /// It cannot trap: only subclasses are made, and both override it, as they do `deadlineReached`.
  var queue: DispatchQueue { fatalError("a subclass has one") }

  /// The deadline of the arming with this ticket has passed. It cannot trap, for the same reason as
  /// `queue`.
  func deadlineReached(ticket: UInt64) { fatalError("a subclass takes it") }
}
