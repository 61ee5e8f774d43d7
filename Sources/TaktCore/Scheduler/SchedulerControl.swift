package import TaktTime

/// The scheduler as those see it who steer it.
///
/// Safe from any thread. Replies come on the scheduler's queue, and are not to block it; none comes
/// after takt has stopped.
package protocol SchedulerControl: Sendable {
  /// Does what somebody wants as soon as the queue is free.
  func obey(
    _ command: SchedulerCommand, reply: @escaping @Sendable (SchedulerReply) -> Void)

  /// Looks at the scheduler as soon as the queue is free. Who wants to see much looks often and at
  /// little: slots that are due wait meanwhile.
  func look<Sight: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Sight,
    reply: @escaping @Sendable (Sight) -> Void)
}
