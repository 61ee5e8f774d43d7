import Dispatch

/// Something that is armed in the wake queue: a machine, or an adapter that somebody asked for.
///
/// `@unchecked Sendable`: `lastSlot`, all that changes, is touched by the wake queue under its lock.
class WakeClient: @unchecked Sendable {
  final var lastSlot = UInt32.max
  /// Whether it is called in the wake itself, and not on a queue of its own.
  final let isHome: Bool

  init(isHome: Bool) {
    self.isHome = isHome
  }

  /// Where it is called unless `isHome`.
  ///
  /// It cannot trap: only subclasses are made, and both override it, as they do `deadlineReached`.
  var queue: DispatchQueue { fatalError("a subclass has one") }

  /// The deadline of the arming with this ticket has come. It cannot trap, as `queue` cannot.
  func deadlineReached(ticket: UInt64) { fatalError("a subclass takes it") }
}
