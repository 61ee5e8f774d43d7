package import TaktTime

/// One test of a jobs file: a simulation and its expectations.
package struct JobsTest: Sendable {
  package var name: String
  package var place: SourceLocation
  package var start: WallInstant
  package var span: Duration
  /// The zone of the times in the test.
  package var zone: Zone
  package var snapshot: Snapshot
  package var faults: [SimulatedFault] = []
  /// The faults as they are written.
  package var faultTexts: [String] = []
  package var runs: [JobName: SimulatedRuns] = [:]
  /// The behaviour of runs, by the job, definition or pattern that is written.
  package var writtenRuns: [(subject: String, runs: SimulatedRuns)] = []
  package var expectations: [TestExpectation] = []

  package init(
    name: String, place: SourceLocation, start: WallInstant, span: Duration, zone: Zone,
    snapshot: Snapshot
  ) {
    self.name = name
    self.place = place
    self.start = start
    self.span = span
    self.zone = zone
    self.snapshot = snapshot
  }

  /// Gives the test other times. What runs do stays. Faults are at instants of the times before, and stay
  /// only if all of them mean the same in the new ones.
  ///
  /// - Returns: whether faults are left out.
  package mutating func move(to start: WallInstant, for span: Duration) -> Bool {
    // One without a time is in the middle.
    let areSame =
      start == self.start
      && (span == self.span || faultTexts.allSatisfy { $0.contains("@") })
      && faults.allSatisfy { $0.at <= start + span }
    (self.start, self.span) = (start, span)
    if areSame || faults.isEmpty { return false }
    (faults, faultTexts) = ([], [])
    return true
  }

  /// The simulator of the test, for a run of `runSpan`.
  package func simulator(emitsAll: Bool) -> Simulator {
    Simulator(snapshot, from: start, faults: awake.faults, runs: runs, emitsAll: emitsAll)
  }

  /// The time for which the simulated machine is awake during the test.
  package var runSpan: Duration { max(.milliseconds(1), span - awake.slept) }

  /// The faults by the simulator's clock, which stops while the machine sleeps, and the time that
  /// it sleeps. A fault within a sleep happens at its end, and a sleep ends with the test.
  private var awake: (faults: [SimulatedFault], slept: Duration) {
    var slept = Duration.zero
    var wake = start
    let awake = faults.sorted { $0.at < $1.at }.map { fault in
      let wall = max(wake, fault.at)
      var result = SimulatedFault(fault.kind, at: wall - slept)
      if case .sleep(let duration) = fault.kind {
        let left = min(duration, max(.zero, start + span - wall))
        result.kind = .sleep(left)
        slept += left
        wake = wall + left
      }
      return result
    }
    return (awake, slept)
  }
}

package struct TestExpectation: Sendable {
  package var place: SourceLocation
  /// The subject as it is written: `backup`, `all`, `etl-*`, `backup at 02:30`.
  package var subject: String
  /// The jobs; nil for all.
  package var jobs: [JobName]?
  package var check: TestCheck

  package init(
    place: SourceLocation, subject: String, jobs: [JobName]?, check: TestCheck
  ) {
    self.place = place
    self.subject = subject
    self.jobs = jobs
    self.check = check
  }
}

package enum TestCheck: Sendable {
  case count(TestCount, TestRange)
  /// Slots of this verdict with this reason.
  case reason(Verdict.Kind, String, TestRange)
  /// The slots of this verdict, or all, are these.
  case times(Verdict.Kind?, [TestTime])
  /// Runs started at these times.
  case starts([TestTime])
  /// The largest delay of a slot.
  case late(TestRange)
  /// The length of the longest run.
  case lasts(TestRange)
  /// The most active runs at once.
  case atOnce(TestRange)
  /// The number of wake-ups.
  case wakes(TestRange)
  /// No run overlaps a run of one of these jobs.
  case neverWith([JobName], named: String)
  /// A run of the one job has ended before each run of the other, since the other's previous run.
  case order(first: [JobName], then: [JobName], TestOrder, named: String)
  case slot(WallInstant, TestSlotCheck)
}

package enum TestOrder: String, Sendable {
  case before, after
}

/// An expectation of one slot.
package enum TestSlotCheck: Sendable {
  case verdict(Verdict.Kind, reason: String?)
  /// There is no slot.
  case absent
  case late(TestRange)
  case starts(TestTime)
  case outcome(Outcome)
  case lasts(TestRange)
  case retries(TestRange)
}

/// A number that a test can count.
package enum TestCount: String, CaseIterable, Sendable {
  case slots, ran, skipped, coalesced, missed, cancelled
  /// Runs that started.
  case runs
  case succeeded
  /// Runs that failed or timed out.
  case failed
  case timedOut = "timed_out"
  case interrupted
  /// Attempts after the first of their run.
  case retries
  /// Calls of the hooks that report a problem.
  case alarms
  case onStart = "on_start"
  case onFailure = "on_failure"
  case onSuccess = "on_success"
  case onRecover = "on_recover"
  case onLate = "on_late"
  case onStale = "on_stale"
  case onAlarmFailed = "on_alarm_failed"

  /// The verdict that it counts; nil for anything else.
  package var verdict: Verdict.Kind? { Verdict.Kind(rawValue: rawValue) }
  /// The hook whose calls it counts; nil for anything else.
  package var hook: HookKind? { HookKind(rawValue: rawValue) }
  /// True if it counts slots.
  package var isOfSlots: Bool { self == .slots || verdict != nil }

  static let alarmHooks: Set<HookKind> = [.onFailure, .onLate, .onStale, .onAlarmFailed]
}

/// The values that an expectation accepts: counts, or milliseconds.
package struct TestRange: Hashable, Sendable {
  package var least: Int64
  package var most: Int64
  /// As it is written: `>= 4`.
  package var text: String

  package init(least: Int64 = 0, most: Int64 = .max, text: String) {
    self.least = least
    self.most = most
    self.text = text
  }

  package func contains(_ value: Int64) -> Bool { least <= value && value <= most }
}

/// A time in a test: an instant, or a time of day on any date. To the second.
package struct TestTime: Hashable, Sendable {
  /// Seconds since 1970, or since midnight.
  package var seconds: Int64
  package var isTimeOfDay: Bool
  package var text: String

  package init(_ instant: WallInstant, text: String) {
    (seconds, isTimeOfDay, self.text) = (instant.milliseconds / 1000, false, text)
  }

  package init(timeOfDay seconds: Int64, text: String) {
    (self.seconds, isTimeOfDay, self.text) = (seconds, true, text)
  }

  package func matches(_ instant: WallInstant, in zone: Zone) -> Bool {
    guard isTimeOfDay else { return instant.milliseconds / 1000 == seconds }
    let civil = zone.civilTime(at: instant)
    return Int64(civil.hour * 3600 + civil.minute * 60 + civil.second) == seconds
  }
}
