import TaktCore

/// One service plugin, from its first run to its end: a pure machine. Each function is an event and
/// returns its effects; an event that a state does not expect changes nothing. Runs are identified
/// by their names in the conversation.
///
/// | state | means | leaves by |
/// |---|---|---|
/// | idle | no process | a run |
/// | starting | a process that has not said hello | hello, its end |
/// | ready | it takes runs | idleness, a fault, its end |
/// | draining | it takes no more, and ends when its runs have | its end |
/// | ending | it has been told to end, or killed | its end |
/// | resting | it has failed, and is started again later | time |
struct ServiceMachine {
  enum State: String, CaseIterable, Hashable, Sendable {
    case idle, starting, ready, draining, ending, backingOff = "resting"
  }

  /// The reasons for waiting, besides messages.
  enum Wait: String, CaseIterable, Hashable, Sendable {
    case hello
    case ping
    case pong
    /// A time without any run.
    case idle
    /// The end of a process that was told to end.
    case exit
    /// Another start after a failure.
    case backOff = "rest"
    /// The end of a process that has closed its channel.
    case hangUp
  }

  enum Effect: Hashable, Sendable {
    case spawn
    case start(String)
    case cancel(String)
    case end(String, AttemptResult)
    /// Pass on the run, which has not started here, to another process.
    case handOver(String)
    case ping(id: Int)
    case shutdown
    case kill
    /// Call `timeReached` with this after a while, in place of any earlier wait of this kind.
    case wait(Wait, Duration)
    case stopWaiting(Wait)
    case log(LogLevel, String)
    /// Log that it has failed and is started again after this long.
    case logRestart(after: Duration)
  }

  static let helloTime = Duration.seconds(10)
  static let exitTime = Duration.seconds(10)
  static let hangUpTime = Duration.seconds(1)
  /// Runs without a result after which the process is replaced.
  static let lapsesMax = 16

  private(set) var state = State.idle
  private let manifest: PluginManifest
  private var waiting: [String] = []
  private var active: Set<String> = []
  /// Runs that are over for the host, which the plugin may still mention.
  private var lapsed: Set<String> = []
  /// Runs that had their result, in this process.
  private var finished: RecentRuns = RecentRuns()
  private var lapseCount = 0
  private var failures = 0
  private var lastPing = 0
  /// The reason why the process is being ended; nil if it ends by itself or was asked to.
  private var fault: PluginFault?
  private var isRetired = false

  init(_ manifest: PluginManifest) { self.manifest = manifest }

  /// Includes waiting ones.
  var runCount: Int { waiting.count + active.count }

  /// True if its process takes no more runs, and will end by itself.
  var isLeaving: Bool { state == .draining || (state == .ending && fault == nil) }

  /// True once it has been retired and is gone.
  var isGone: Bool { isRetired && state == .idle && runCount == 0 }

  mutating func add(_ run: String) -> [Effect] {
    waiting.append(run)
    return pump()
  }

  mutating func result(of run: String, _ result: PluginResult) -> [Effect] {
    if active.remove(run) != nil {
      finished.insert(run)
      // A result shows that it works.
      failures = 0
      return [.end(run, result.attemptResult(exit: nil))] + pump()
    }
    if lapsed.remove(run) != nil { return [] }
    if finished.contains(run) {
      return [.log(.warning, PluginFault.twoResults.sentence)] + lapse()
    }
    return fail(.wrongRun)
  }

  /// True if the plugin may mention the run: it is in progress, or was not long ago.
  func mayBeNamed(_ run: String) -> Bool {
    active.contains(run) || lapsed.contains(run) || finished.contains(run)
  }

  /// Cancels a run; a kill ends it without a result.
  mutating func stop(_ run: String, isKill: Bool) -> [Effect] {
    if let index = waiting.firstIndex(of: run) {
      waiting.remove(at: index)
      return [.end(run, Self.cancelled)] + pump()
    }
    guard active.contains(run) else { return [] }
    if !isKill { return [.cancel(run)] }
    active.remove(run)
    lapsed.insert(run)
    return [.end(run, Self.cancelled)] + lapse() + pump()
  }

  static let cancelled = AttemptResult.failed("cancelled")

  /// Counts a run without an end, or with two.
  private mutating func lapse() -> [Effect] {
    lapseCount += 1
    guard lapseCount >= Self.lapsesMax, state == .ready else { return [] }
    return [.log(.warning, "the service is replaced; it left runs without an end: \(lapseCount)")]
      + drain()
  }

  mutating func greeted() -> [Effect] {
    guard state == .starting else { return [] }
    state = .ready
    return [.stopWaiting(.hello), .wait(.ping, manifest.pingInterval)] + pump()
  }

  mutating func ponged(_ id: Int) -> [Effect] {
    guard state == .ready || state == .draining, id == lastPing else { return [] }
    return [.stopWaiting(.pong), .wait(.ping, manifest.pingInterval)]
  }

  mutating func fail(_ fault: PluginFault) -> [Effect] {
    guard state == .starting || state == .ready || state == .draining else { return [] }
    self.fault = fault
    let effects = [.log(.error, fault.sentence), .kill] + endRuns(fault) + noWaits
    state = .ending
    return effects + [.wait(.exit, Self.exitTime)]
  }

  mutating func processEnded() -> [Effect] {
    let wasAsked = state == .ending && fault == nil
    guard state != .idle, state != .backingOff else { return [] }
    var effects = noWaits + endRuns(fault ?? .died)
    if !wasAsked, fault == nil { effects.append(.log(.error, PluginFault.died.sentence)) }
    effects += wasAsked ? over() : backOff()
    return effects
  }

  /// Called when it has closed descriptor 3. As a rule its end follows at once, and says more.
  mutating func hungUp() -> [Effect] {
    switch state {
    case .starting, .ready, .draining: [.wait(.hangUp, Self.hangUpTime)]
    case .idle, .ending, .backingOff: []
    }
  }

  mutating func spawnFailed(_ why: String) -> [Effect] {
    guard state == .starting else { return processEnded() }
    return noWaits + [.log(.error, "the service cannot be started: \(why)")]
      + endRuns(.notStarted) + backOff()
  }

  /// Ends it for good; runs in progress may end first.
  mutating func retire() -> [Effect] {
    isRetired = true
    switch state {
    case .ready: return runCount == 0 ? drain() : []
    case .starting where runCount == 0: return fail(.noHello)
    case .backingOff where runCount == 0:
      state = .idle
      return noWaits
    case .idle, .starting, .draining, .ending, .backingOff: return []
    }
  }

  /// Called when the time of a `wait` effect is over.
  mutating func timeReached(_ wait: Wait) -> [Effect] {
    switch (wait, state) {
    case (.hello, .starting): return fail(.noHello)
    case (.ping, .ready), (.ping, .draining):
      lastPing += 1
      return [.ping(id: lastPing), .wait(.pong, manifest.pingInterval)]
    case (.pong, .ready), (.pong, .draining): return fail(.noPong)
    case (.idle, .ready): return runCount == 0 ? drain() : []
    case (.hangUp, .starting), (.hangUp, .ready), (.hangUp, .draining): return fail(.closed)
    case (.exit, .ending): return [.kill, .wait(.exit, Self.exitTime)]
    case (.backOff, .backingOff):
      state = .idle
      return pump()
    default: return []
    }
  }

  private mutating func pump() -> [Effect] {
    switch state {
    case .idle:
      guard !waiting.isEmpty else { return [] }
      state = .starting
      fault = nil
      lapseCount = 0
      lapsed = []
      finished = RecentRuns()
      return [.spawn, .wait(.hello, Self.helloTime)]
    case .ready:
      var effects: [Effect] = []
      while active.count < manifest.runsMax, !waiting.isEmpty {
        let run = waiting.removeFirst()
        active.insert(run)
        effects.append(.start(run))
      }
      if runCount > 0 { return effects + [.stopWaiting(.idle)] }
      return effects + (isRetired ? drain() : [.wait(.idle, manifest.idleStop)])
    case .draining: return active.isEmpty ? shutDown() : []
    case .starting, .ending, .backingOff: return []
    }
  }

  /// Takes no more runs, and ends it after those that it has.
  private mutating func drain() -> [Effect] {
    state = .draining
    let runs = waiting
    waiting = []
    return runs.map { .handOver($0) } + [.stopWaiting(.idle)] + (active.isEmpty ? shutDown() : [])
  }

  private mutating func shutDown() -> [Effect] {
    state = .ending
    return [.shutdown, .stopWaiting(.ping), .stopWaiting(.pong), .wait(.exit, Self.exitTime)]
  }

  /// Ends the runs of the process; before its hello, that includes waiting ones.
  private mutating func endRuns(_ fault: PluginFault) -> [Effect] {
    var runs = active.sorted()
    active = []
    lapsed.formUnion(runs)
    if state == .starting {
      runs += waiting
      waiting = []
    }
    return runs.map { .end($0, fault.result) }
  }

  private mutating func over() -> [Effect] {
    state = .idle
    return pump()
  }

  private mutating func backOff() -> [Effect] {
    failures += 1
    state = .backingOff
    if isRetired, runCount == 0 { return over() }
    let seconds = min(60, 1 << min(failures - 1, 6))
    return [
      .logRestart(after: .seconds(seconds)),
      .wait(.backOff, .seconds(seconds)),
    ]
  }

  private var noWaits: [Effect] { Wait.allCases.map { .stopWaiting($0) } }
}
