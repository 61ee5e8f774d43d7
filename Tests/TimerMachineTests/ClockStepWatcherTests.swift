import Dispatch
import Testing
import TimerMachine

struct ClockStepWatcherTests {
  @Test func `the system tells of clock steps`() {
    #if os(Linux)
      #expect(ClockStepWatcher(queue: DispatchQueue(label: "steps")) {}.isWatching)
    #endif
  }

  @Test func `watchers come and go without leaving descriptors`() {
    let queue = DispatchQueue(label: "steps")
    // Far more than a process may have open at a time.
    for round in 0..<5_000 {
      let watcher = ClockStepWatcher(queue: queue) {}
      #if os(Linux)
        #expect(watcher.isWatching)
      #endif
      _ = watcher
      if round.isMultiple(of: 100) { queue.sync {} }
    }
  }
}
