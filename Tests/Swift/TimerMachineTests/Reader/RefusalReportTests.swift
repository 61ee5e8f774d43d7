import Testing
import TimerMachineTesting

@testable import TimerMachine

#if DEBUG
  /// Messages of a debug build about a call after which nothing runs.
  @Suite(.serialized)
  struct RefusalReportTests {
    private let time = ManualTimerFactory()

    /// The sentences about timers of this name that `body` leads to.
    private func reports(about name: String, _ body: (SafeTimer) throws -> Void) rethrows
      -> [String]
    {
      let heard = Notes()
      RefusalReport.reader.withLock { $0 = { if $0.contains("\"\(name)\"") { heard.note($0) } } }
      defer { RefusalReport.reader.withLock { $0 = nil } }
      try body(SafeTimer(name: name, factory: time))
      return heard.all
    }

    @Test func `a timer without a handler says so once, and what to call`() {
      let heard = reports(about: "cancelled") { timer in
        timer.activate(.every(clamping: .seconds(1))) {}
        timer.cancel()
        for _ in 1...3 { #expect(timer.activate(.every(clamping: .seconds(1))) == .noHandler) }
      }
      #expect(heard.count == 1)
      #expect(heard.first?.contains("activate(_:handler:)") == true)
    }

    @Test func `a report names the call that was made`() {
      let heard = reports(about: "named") { timer in
        #expect(timer.setSchedule(.every(clamping: .seconds(1))) == .noHandler)
        timer.fireNow(atMostEvery: .seconds(1))
      }
      #expect(heard.map { $0.hasPrefix("setSchedule(_:)") } == [true, false])
      #expect(heard.map { $0.hasPrefix("fireNow(atMostEvery:)") } == [false, true])
    }

    @Test func `resume and start of a timer without a schedule say so`() {
      let heard = reports(about: "unscheduled") { timer in
        #expect(timer.resume() == .refused(state: .idle))
        #expect(timer.start() == .refused(state: .idle))
      }
      #expect(heard.count == 2)
      #expect(heard.allSatisfy { $0.contains("SafeTimer(schedule:)") })
    }

    @Test func `what is refused and does no harm is not reported`() {
      let heard = reports(about: "harmless") { timer in
        timer.suspend()
        timer.cancel()
        timer.activate(.every(clamping: .seconds(1))) {}
        timer.resume()
      }
      #expect(heard.isEmpty)
    }

    @Test func `a handler for a timer that runs already is reported`() {
      let heard = reports(about: "running") { timer in
        timer.activate(.every(clamping: .seconds(1))) {}
        timer.activate(.every(clamping: .seconds(2))) {}
        timer.suspend()
        timer.activate(.every(clamping: .seconds(2))) {}
        timer.cancel()
        timer.fireNow()
        timer.reschedule(.every(clamping: .seconds(1)))
      }
      #expect(heard.count == 4)
    }
  }
#endif
