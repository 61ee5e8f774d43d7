import Dispatch

/// Keeps this thread waiting, by a call that every system has.
func pause(_ time: DispatchTimeInterval) {
  _ = DispatchSemaphore(value: 0).wait(timeout: .now() + time)
}
