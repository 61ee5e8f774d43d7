import TimerMachine

/// Watches over something that is to beat: the timer's handler runs on this actor.
public actor Monitor {
  /// How many looks have found no beat.
  public private(set) var missed = 0
  private var isAlive = false
  private var timer: SafeTimer?

  /// A monitor that does not watch yet.
  public init() {}

  /// Something has beaten.
  public func beat() { isAlive = true }

  /// Looks once in `interval` whether it has.
  public func watch(every interval: Duration, factory: any TimerFactory) {
    timer = SafeTimer.every(interval, leeway: interval / 10, factory: factory, on: self) {
      monitor, _ in monitor.look()
    }
  }

  /// Returns when no look is in progress.
  public func rest() async { await timer?.cancelAndWait() }

  private func look() {
    if !isAlive { missed += 1 }
    isAlive = false
  }
}

/// Tries until it succeeds, after longer and longer pauses, on any clock.
public func retrying<C: Clock>(
  on clock: C, attempts: Int, _ work: () async throws -> Void
) async throws where C.Duration == Duration {
  var pause = Duration.seconds(1)
  for attempt in 1... {
    do {
      return try await work()
    } catch  where attempt < attempts {
      try await clock.sleep(for: pause)
      pause *= 2
    }
  }
}

/// Says every second that the program lives.
public func startHeartbeat() -> SafeTimer {
  SafeTimer.every(.seconds(1)) { fire in print("alive for \(fire.sequence) s") }
}
