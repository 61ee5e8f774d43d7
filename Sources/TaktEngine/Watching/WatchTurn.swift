import Glibc

/// What one reading of events comes to, before the paths are walked again.
struct WatchTurn {
  /// The keys that have changed.
  private(set) var changed: Set<UInt64> = []
  /// The keys whose paths may lead somewhere else now.
  private(set) var uncertain: Set<UInt64> = []

  /// Takes the next event, in the order in which they came. A watch that the system has ended is
  /// struck out of the table.
  mutating func take(
    _ event: InotifyEvent, _ table: inout WatchTable, _ watches: [UInt64: KeyWatch]
  ) {
    if event.has(IN_Q_OVERFLOW) {
      uncertain.formUnion(watches.keys)
      changed.formUnion(watches.keys)
    } else if event.has(IN_IGNORED) {
      let users = table.forget(event.watch)
      for id in users { watches[id]?.watchEnded(event.watch) }
      uncertain.formUnion(users)
    } else if event.has(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT) {
      uncertain.formUnion(table.users(of: event.watch))
    } else {
      takeEntry(event, table, watches)
    }
  }

  private mutating func takeEntry(
    _ event: InotifyEvent, _ table: WatchTable, _ watches: [UInt64: KeyWatch]
  ) {
    let hasCome = event.has(IN_CREATE | IN_MOVED_TO)
    if hasCome || event.has(IN_MOVED_FROM | IN_DELETE) {
      for passenger in table.passengers(of: event.watch, by: event.name) {
        uncertain.insert(passenger.id)
        if hasCome && passenger.isLast { changed.insert(passenger.id) }
      }
    }
    guard hasCome || event.has(IN_MODIFY | IN_CLOSE_WRITE) else { return }
    for id in table.targetOf(event.watch) {
      let isUncertain = uncertain.contains(id)
      if watches[id]?.wasWritten(uncertain: isUncertain) == true { changed.insert(id) }
    }
  }
}
