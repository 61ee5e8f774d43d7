import Dispatch
import TimerMachine

/// Tea for an impatient cook: a countdown, an oven that is looked after now and then, and a
/// thermometer that talks too much. `kitchen [seconds]`, by default 3.
@main
struct Kitchen {
  static func main() throws {
    let seconds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3
    let queue = DispatchQueue(label: "kitchen")
    let factory = CoalescingTimerFactory(queue: queue)
    let registry = TimerRegistry(factory: factory, queue: queue)
    let isReady = DispatchSemaphore(value: 0)

    let tea = try Countdown(
      .seconds(seconds), tick: .seconds(1), factory: factory, queue: queue,
      onTick: { print("tea: \($0.components.seconds) s left") },
      onEnd: {
        print("tea: ready")
        isReady.signal()
      })
    // Half a second of leeway: the oven is looked at when someone is up anyway.
    registry.add("oven", try .every(.milliseconds(700), leeway: .milliseconds(500))) { fire in
      print("oven: looked at \(fire.sequence) times")
    }
    registry.add("thermometer", try .every(.milliseconds(20), leeway: .milliseconds(20))) {
      [weak registry] fire in
      // Fifty readings a second, of which one a second is worth a line.
      try? registry?.throttle("reading", every: .seconds(1)) {
        print("thermometer: \(180 + fire.sequence % 7) °C")
      }
    }

    tea.start()
    isReady.wait()
    registry.cancelAll()
    let statistics = factory.statistics
    print("\(statistics.served) deadlines in \(statistics.wakes) wakes")
  }
}
