import TimerMachine

/// Lets a handler find the machine that it belongs to.
final class MachineHolder: Sendable {
  private let held = Guarded<TimerMachine?>(nil)

  var machine: TimerMachine? {
    get { held.withLock { $0 } }
    set {
      // The former machine goes outside the lock.
      let former = held.withLock { held in
        let former = held
        held = newValue
        return former
      }
      _ = former
    }
  }
}
