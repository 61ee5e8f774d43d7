public import Dispatch

extension SafeTimer {
  /// The fires from now on, as a sequence. Each use returns a new sequence.
  ///
  /// ```swift
  /// for await tick in timer.ticks { print(tick.sequence) }
  /// ```
  /// The sequence ends when the machine is cancelled, has no fire left or is released, and at once
  /// if the machine is neither `running` nor `suspended`. Leaving the loop, or cancelling its task,
  /// closes the sequence and leaves the timer alone. A slow reader loses the oldest fires beyond
  /// 16, which shows in `sequence`; in virtual time none is lost.
  ///
  /// The loop holds the sequence, not the machine, so keep a reference to the machine.
  public var ticks: AsyncStream<TimerFire> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TimerFire.self,
      bufferingPolicy: TickBuffer.policy(of: body.group.factory))
    let number = body.core.withLock { core -> UInt64? in
      guard core.state == .running || core.state == .suspended else { return nil }
      let extras = core.madeExtras()
      extras.lastStream += 1
      extras.streams[extras.lastStream] = continuation
      return extras.lastStream
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak body] _ in
      _ = body?.core.withLock { $0.extras?.streams.removeValue(forKey: number) }
    }
    return stream
  }

  /// Fires at equal intervals, as a sequence that owns its timer. The timer ends with the task of
  /// the loop, or when the sequence is released. Leaving the loop ends it too, if nothing else
  /// holds the sequence.
  ///
  /// ```swift
  /// for await tick in SafeTimer.ticks(every: .seconds(1)) { print(tick.sequence) }
  /// ```
  /// - Parameters:
  ///   - interval: as for `every`.
  ///   - leeway: how much later a fire may be. Default zero.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where fires are claimed. Default the global queue. In virtual time, use the
  ///     factory's queue: on any other, all periods that one `advance` passes make a single fire.
  public static func ticks(
    every interval: Duration, leeway: Duration = .zero,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global()
  ) -> AsyncStream<TimerFire> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TimerFire.self, bufferingPolicy: TickBuffer.policy(of: factory))
    let machine = every(
      interval, leeway: leeway, name: "ticks", factory: factory, queue: queue
    ) { continuation.yield($0) }
    // The only reference to the machine; `cancel` releases the handler, which holds the sequence.
    continuation.onTermination = { _ in machine.cancel() }
    return stream
  }
}

/// The number of fires that wait for a reader of `ticks`.
enum TickBuffer {
  static func policy(
    of factory: any TimerFactory
  ) -> AsyncStream<TimerFire>.Continuation.BufferingPolicy {
    factory.isVirtual ? .unbounded : .bufferingNewest(16)
  }
}
