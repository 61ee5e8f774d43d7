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
}
