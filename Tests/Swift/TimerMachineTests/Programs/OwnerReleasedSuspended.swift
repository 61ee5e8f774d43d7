import Testing
import TimerMachine
import TimerMachineTesting

/// A player that is paused, and then forgotten. It undoes nothing in its `deinit`, and has none.
private final class Player: Sendable {
  private let timer: SafeTimer

  init(screen: Notes, factory: any TimerFactory = CoalescingTimerFactory.shared) {
    timer = SafeTimer(factory: factory)
    timer.activate(.every(clamping: .seconds(1))) { [weak self] in
      if self != nil { screen.note("position") }
    }
  }

  func pause() { timer.suspend() }
}

struct OwnerReleasedSuspendedTests {
  @Test(arguments: TimerFactoryKind.allCases)
  func `an owner whose timer is suspended is released`(kind: TimerFactoryKind) throws {
    let bench = kind.makeBench()
    let screen = Notes()
    weak var trace: Player?
    do {
      let player = Player(screen: screen, factory: bench.factory)
      trace = player
      player.pause()
    }
    try bench.letPass(.milliseconds(1))
    #expect(trace == nil)
    #expect(screen.all.isEmpty)
  }
}
