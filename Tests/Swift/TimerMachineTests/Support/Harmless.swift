@preconcurrency import Dispatch

/// Calls that are said to crash a bare dispatch source, and do not.
enum Harmless: String, CaseIterable, Codable, Sendable {
  case suspendsTwiceAndResumesTwice, cancelsSuspendedAndResumes, activatesTwice
  case resumesThenActivates, cancelsTwice, activatesCancelled, schedulesCancelled
  case setsNoHandler, releasesActive, cancelsInTheHandler, balancesOnManyThreads

  func commitOnBareSource() {
    var source: (any DispatchSourceTimer)? = DispatchSource.makeTimerSource(
      queue: DispatchQueue(label: "harmless"))
    source?.setEventHandler { @Sendable in preconditionFailure("nothing here is to fire") }
    source?.schedule(deadline: .distantFuture)
    switch self {
    case .suspendsTwiceAndResumesTwice:
      source?.activate()
      source?.suspend(); source?.suspend()
      source?.resume(); source?.resume()
    case .cancelsSuspendedAndResumes:
      source?.activate(); source?.suspend(); source?.cancel(); source?.resume()
    case .activatesTwice: source?.activate(); source?.activate()
    case .resumesThenActivates: source?.resume(); source?.activate()
    case .cancelsTwice: source?.activate(); source?.cancel(); source?.cancel()
    case .activatesCancelled: source?.activate(); source?.cancel(); source?.activate()
    case .schedulesCancelled:
      source?.activate(); source?.cancel(); source?.schedule(deadline: .now())
    case .setsNoHandler: source?.activate(); source?.setEventHandler(handler: nil)
    case .releasesActive:
      source?.setCancelHandler { @Sendable in preconditionFailure("released, not cancelled") }
      source?.activate()
    case .cancelsInTheHandler: source.map(Self.fireOnce)
    case .balancesOnManyThreads:
      source?.activate()
      source.map(Self.balance)
    }
    source = nil
  }

  private static func fireOnce(_ source: any DispatchSourceTimer) {
    let fired = DispatchSemaphore(value: 0)
    // Its calls are safe from any thread; the protocol does not say so on every system.
    nonisolated(unsafe) let source = source
    source.setEventHandler { @Sendable in
      source.cancel()
      fired.signal()
    }
    source.schedule(deadline: .now())
    source.activate()
    fired.wait()
  }

  private static func balance(_ source: any DispatchSourceTimer) {
    nonisolated(unsafe) let source = source
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<1_000 {
        source.suspend()
        source.schedule(deadline: .distantFuture)
        source.resume()
      }
    }
  }
}
