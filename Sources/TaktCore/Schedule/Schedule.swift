package import TaktTime

/// The triggers of a job. Its slots are those of all triggers together; triggers that name one
/// instant make one slot.
package struct Schedule: Hashable, Sendable {
  private struct Fields: Hashable, Sendable {
    var every: Every?
    var rules: [ClockRule]
    var at: [WallInstant]
    var on: Set<LifecycleEvent>
    var after: Set<Following>
    /// Boxed: few jobs have any.
    var afterAll: Shared<AfterAll>?
    var watch: Set<PathWatch>
    var notBefore: WallInstant?
    var until: WallInstant?
    var limit: Int?
    var exclusions: [Exclusion]
    /// Nil where there is nothing in it, as in most schedules.
    var extras: Shared<ScheduleExtras>?

    /// Hashes the fields in which most schedules differ: the gate's `load`.
    func hash(into hasher: inout Hasher) {
      hasher.combine(every?.interval)
      hasher.combine(rules)
      hasher.combine(at)
      hasher.combine(after)
      hasher.combine(afterAll)
      hasher.combine(watch)
    }
  }

  private var fields: Shared<Fields>

  /// A fixed rate or a fixed delay; nil for none.
  package var every: Every? {
    get { fields.value.every }
    set { fields.change { $0.every = newValue } }
  }
  package var rules: [ClockRule] {
    _read { yield fields.value.rules }
    set { fields.change { $0.rules = newValue } }
  }
  /// Single instants in whole milliseconds, ascending, no two alike.
  package var at: [WallInstant] {
    _read { yield fields.value.at }
    set { fields.change { $0.at = newValue } }
  }
  package var on: Set<LifecycleEvent> {
    _read { yield fields.value.on }
    set { fields.change { $0.on = newValue } }
  }
  package var after: Set<Following> {
    _read { yield fields.value.after }
    set { fields.change { $0.after = newValue } }
  }
  /// The ends of several jobs together; nil (the default) for none.
  package var afterAll: AfterAll? {
    get { fields.value.afterAll?.value }
    set { fields.change { $0.afterAll = newValue.map { Shared($0) } } }
  }
  package var watch: Set<PathWatch> {
    _read { yield fields.value.watch }
    set { fields.change { $0.watch = newValue } }
  }
  /// No instant before this one is a slot; nil (the default) for no such bound.
  package var notBefore: WallInstant? {
    get { fields.value.notBefore }
    set { fields.change { $0.notBefore = newValue } }
  }
  /// No instant after this one is a slot; nil (the default) for no such bound.
  package var until: WallInstant? {
    get { fields.value.until }
    set { fields.change { $0.until = newValue } }
  }
  /// The number of slots that run, counted from the anchor; nil (the default) for any number.
  package var limit: Int? {
    get { fields.value.limit }
    set { fields.change { $0.limit = newValue } }
  }
  /// Times whose slots are skipped. Default none.
  package var exclusions: [Exclusion] {
    _read { yield fields.value.exclusions }
    set { fields.change { $0.exclusions = newValue } }
  }

  var extras: ScheduleExtras { fields.value.extras?.value ?? ScheduleExtras() }

  mutating func changeExtras(_ body: (inout ScheduleExtras) -> Void) {
    var extras = extras
    body(&extras)
    fields.change { $0.extras = extras.isEmpty ? nil : Shared(extras) }
  }

  /// A schedule of the given triggers; `at` is put in order.
  package init(
    every: Every? = nil, rules: [ClockRule] = [], at: [WallInstant] = [],
    on: Set<LifecycleEvent> = [],
    after: Set<Following> = [], afterAll: AfterAll? = nil, watch: Set<PathWatch> = [],
    notBefore: WallInstant? = nil,
    until: WallInstant? = nil, limit: Int? = nil, exclusions: [Exclusion] = []
  ) {
    fields = Shared(
      Fields(
        every: every, rules: rules, at: at.count < 2 ? at : Set(at).sorted(), on: on, after: after,
        afterAll: afterAll.map { Shared($0) }, watch: watch, notBefore: notBefore, until: until,
        limit: limit, exclusions: exclusions))
  }

  /// The same for all copies of one, as long as there are any.
  package var identity: ObjectIdentifier { fields.identity }

  package func isWithinBounds(_ instant: WallInstant) -> Bool {
    notBefore ?? instant <= instant && instant <= until ?? instant
  }

  /// True if no times are left out, as in most schedules.
  @inline(__always) var excludesNothing: Bool {
    fields.value.exclusions.isEmpty && fields.value.extras?.value.calendars == nil
  }

  /// True if events make it due later.
  var hasDelays: Bool { fields.value.extras.map { !$0.value.delays.isEmpty } ?? false }

  /// True if a step of the wall clock moves any of its slots.
  var isOnWallClock: Bool { !rules.isEmpty || !at.isEmpty || every?.origin == .epoch }

  /// True if a timer waits for any of its slots.
  var isTimed: Bool { every != nil || !rules.isEmpty || !at.isEmpty }

  /// True without any trigger: such a job runs by hand only.
  package var isManual: Bool {
    every == nil && rules.isEmpty && at.isEmpty && on.isEmpty && after.isEmpty && afterAll == nil
      && watch.isEmpty
  }

  /// True if it has slots that cannot be foreseen.
  package var hasUnforeseen: Bool {
    !on.isEmpty || !after.isEmpty || afterAll != nil || !watch.isEmpty || every?.origin == .end
  }
}

/// An event in takt's own life that makes a job due.
package enum LifecycleEvent: String, CaseIterable, Hashable, Sendable {
  case start
  /// takt has started for the first time since the machine was booted.
  case boot
  /// A reload has changed or added the job.
  case reload
}

package struct Every: Hashable, Sendable {
  /// The origin of an interval.
  package enum Origin: String, Hashable, Sendable {
    /// The anchor: a fixed rate on the monotonic clock, `anchor + k · interval`.
    case start
    /// The end of the last run: a fixed delay.
    case end
    /// The Unix epoch: a fixed rate on the wall clock, `15m` at :00, :15, :30, :45.
    case epoch
  }

  /// The fate of the anchor when the interval changes.
  package enum Phase: String, CaseIterable, Hashable, Sendable {
    /// It stays: the new grid goes through it.
    case keep
    /// The reload becomes the anchor.
    case restart
  }

  /// At least 1 ms, whole milliseconds.
  package var interval: Duration
  /// Default the anchor.
  package var origin: Origin
  /// Default `keep`.
  package var phase = Phase.keep
  /// The time from the first load to the first slot; nil (the default): one interval. For `.epoch`
  /// an instant of the grid, since the epoch; nil for the epoch itself.
  package var first: Duration?

  package init(_ interval: Duration, from origin: Origin = .start, first: Duration? = nil) {
    self.interval = interval
    self.origin = origin
    self.first = first
  }

  var intervalMilliseconds: Int64 { max(1, interval.milliseconds) }

  /// The time from the first load to the first slot; nil for one interval.
  package var delay: Duration? { origin == .epoch ? nil : first }

  /// An instant of the grid on the wall.
  package var wallOrigin: ScheduleInstant {
    ScheduleInstant(milliseconds: origin == .epoch ? first?.milliseconds ?? 0 : 0)
  }
}

extension Schedule {
  /// Its triggers in the words of the jobs file, in one line: `every 10s`, `cron 30 2 * * *`.
  package var summary: String {
    var parts: [String] = []
    if let every {
      parts.append("every \(DurationText.format(every.interval))")
      switch every.origin {
      case .end: parts[0] += " from end"
      case .epoch:
        parts[0] +=
          every.first == nil
          ? " align epoch"
          : " from \(WallInstant(every.wallOrigin).rfc3339())"
      case .start: break
      }
    }
    parts += rules.map { "\($0.cause.rawValue) \($0.text)" }
    if let first = at.first {
      parts.append(at.count == 1 ? "at \(first.rfc3339())" : "at \(at.count) instants")
    }
    parts += after.sorted().map { "after \($0.job)" }
    if let afterAll { parts.append("after all of \(afterAll.summary)") }
    parts += watch.sorted().map { "watch \($0.path)" }
    let events = lifecycleWords
    if !events.isEmpty { parts.append("on \(events.joined(separator: ", "))") }
    return parts.joined(separator: "; ")
  }
}
