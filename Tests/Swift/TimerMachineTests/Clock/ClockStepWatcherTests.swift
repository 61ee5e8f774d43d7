import Dispatch
import Foundation
import Testing
import TimerMachine

struct ClockStepWatcherTests {
  @Test func `the system tells of clock steps`() {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      #expect(ClockStepWatcher(queue: DispatchQueue(label: "steps")) {}.isWatching)
    #endif
  }

  @Test func `watchers come and go without leaving descriptors`() {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      let queue = DispatchQueue(label: "steps")
      for _ in 0..<50 {
        for _ in 0..<100 { #expect(ClockStepWatcher(queue: queue) {}.isWatching) }
        // Dispatch closes them in its own time.
        let end = Date() + 60
        while Self.timerCount > 100, Date() < end { pause(.milliseconds(1)) }
        #expect(Self.timerCount <= 100)
      }
    #endif
  }

  /// The number of open timer descriptors of this process, those of other tests included.
  private static var timerCount: Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
        == "anon_inode:[timerfd]"
    }
  }
}
