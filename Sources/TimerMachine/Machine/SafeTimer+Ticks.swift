extension SafeTimer {
  /// The fires from now on, as a sequence; each use is a sequence of its own.
  ///
  /// ```swift
  /// for await tick in timer.ticks { print(tick.sequence) }
  /// ```
  /// It ends when the machine is cancelled, is over or is released; at once when it is not
  /// `running` or `suspended`. Leaving the loop, or cancelling its task, closes the sequence and
  /// leaves the timer alone. A reader that is slow loses the oldest fires beyond 16, as
  /// `sequence` shows; in virtual time none is lost.
  ///
  /// The loop holds the sequence, not the machine: keep a reference to the machine meanwhile.
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
