import Synchronization
package import TaktCore

/// Collects the events of one turn of the reactor, and sends them to the scheduler together, which
/// wakes it once.
///
/// Safe from any thread.
package final class EventOutbox: Sendable {
  private let reactor: Reactor
  private let send: @Sendable ([SchedulerEvent]) -> Void
  private let events = Mutex<[SchedulerEvent]>([])

  package init(on reactor: Reactor, send: @escaping @Sendable ([SchedulerEvent]) -> Void) {
    self.reactor = reactor
    self.send = send
  }

  /// Adds an event. Events are sent in the order of the calls.
  package func add(_ event: SchedulerEvent) {
    let isFirst = events.withLock { events in
      events.append(event)
      return events.count == 1
    }
    guard isFirst else { return }
    reactor.perform { [self] _ in
      let all = events.withLock { events in
        defer { events = [] }
        return events
      }
      send(all)
    }
  }
}
