import TimerMachine

/// A place for one subject at a time; many threads use it while others replace it.
final class StormSlot: Sendable {
  private let name: String
  private let bench: TimerTestBench
  private let subject: Guarded<StormSubject>

  init(name: String, bench: TimerTestBench) {
    self.name = name
    self.bench = bench
    subject = Guarded(StormSubject(name: name, bench: bench))
  }

  var current: StormSubject { subject.withLock { $0 } }

  /// Drops the machine, in whatever state it is, and makes another.
  func replace() {
    let fresh = StormSubject(name: name, bench: bench)
    // The former machine may go here, and must not under the lock.
    let former = subject.withLock { subject in
      let former = subject
      subject = fresh
      return former
    }
    _ = former
  }
}
