import Dispatch
import Synchronization
import Testing
import TimerMachine
import TimerMachineTesting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The claims of the page "What goes wrong without this".
struct MisuseTests {
  // Other systems let a test start no process, or end none by a signal.
  #if os(macOS) || os(Linux)
    /// The signal of a trap: an illegal instruction here, a breakpoint there.
    #if arch(x86_64) || arch(i386)
      static let trap = SIGILL
    #else
      static let trap = SIGTRAP
    #endif

    @Test(arguments: Misuse.allCases)
    func `a bare dispatch source dies of it`(misuse: Misuse) async {
      await #expect(processExitsWith: .signal(Self.trap)) { [misuse] in
        misuse.commitOnBareSource()
        // A source is suspended by another thread; the signal comes from there.
        pause(.seconds(2))
      }
    }
  #endif

  @Test(arguments: Misuse.allCases, TimerFactoryKind.allCases)
  func `a machine survives it`(misuse: Misuse, kind: TimerFactoryKind) throws {
    let bench = kind.makeBench()
    let log = FireLog()
    let schedule = try TimerSchedule.once(after: .seconds(3_600))
    if misuse.isThrownByMachine {
      #expect(throws: TimerError.self) {
        try misuse.commit(on: bench.machine(log: log), schedule: schedule)
      }
    } else {
      try misuse.commit(on: bench.machine(log: log), schedule: schedule)
    }
    try bench.letPass(.milliseconds(1))
    #expect(log.count == 0)
  }

  @Test func `an interval of zero makes a bare source spin`() {
    let queue = DispatchQueue(label: "spin")
    let source = DispatchSource.makeTimerSource(queue: queue)
    let calls = Calls()
    source.setEventHandler { @Sendable in calls.add() }
    source.schedule(deadline: .now(), repeating: .seconds(0))
    source.activate()
    while calls.count < 1_000 { pause(.milliseconds(1)) }
    source.cancel()
    #expect(throws: TimerError.intervalNotPositive(.zero)) { try TimerSchedule.every(.zero) }
  }

  @Test func `leeway saves a bare source nothing on Linux, and the wake queue nearly all`() throws {
    #if os(Linux)
      let queue = DispatchQueue(label: "leeway")
      let calls = Calls()
      let factory = CoalescingTimerFactory(queue: queue)
      let machines = try (0..<100).map { number in
        let machine = SafeTimer(name: "\(number)", factory: factory, queue: queue) { _ in
          calls.add()
        }
        _ = machine.activate(
          try .every(.milliseconds(100), after: .milliseconds(number), leeway: .milliseconds(50)))
        return machine
      }
      while calls.count < 500 { pause(.milliseconds(1)) }
      let statistics = factory.statistics
      #expect(statistics.wakes * 10 < statistics.served)
      withExtendedLifetime(machines) {}
    #endif
  }

  private final class Calls: Sendable {
    private let made = Atomic<Int>(0)
    var count: Int { made.load(ordering: .relaxed) }
    func add() { made.wrappingAdd(1, ordering: .relaxed) }
  }
}
