/// A time zone as a value: its transitions, and the rule that applies after the last of them.
///
/// It reads no file and asks no clock, so the same zone always gives the same answers; a reload
/// reads the system's zone files again and compares.
package struct Zone: Hashable, Sendable {
  /// From `start` on, local time is UTC plus `offsetSeconds`.
  package struct Transition: Hashable, Sendable {
    /// Seconds since the Unix epoch.
    package var start: Int64
    /// Seconds east of Greenwich.
    package var offsetSeconds: Int
    /// True if the zone calls this daylight time; Dublin does so in winter. Default false.
    package var isDaylight: Bool

    package init(start: Int64, offsetSeconds: Int, isDaylight: Bool = false) {
      self.start = start
      self.offsetSeconds = offsetSeconds
      self.isDaylight = isDaylight
    }
  }

  /// The meaning of a civil time in a zone.
  package enum Reading: Hashable, Sendable {
    case once(WallInstant)
    /// In the gap of a clock change; `next` is the first instant that exists after it.
    case skipped(next: WallInstant)
    /// Repeated by a clock change.
    case twice(first: WallInstant, second: WallInstant)
  }

  /// Shared by all copies: a zone is copied with each schedule, and compared at each reload.
  private final class Contents: Hashable, Sendable {
    let name: String
    let initialOffsetSeconds: Int
    let transitions: [Transition]
    let rule: ZoneRule?
    /// The rule's transitions in the years in which jobs run; derived from the rule.
    let ruled: [Transition]

    init(name: String, initialOffsetSeconds: Int, transitions: [Transition], rule: ZoneRule?) {
      self.name = name
      self.initialOffsetSeconds = initialOffsetSeconds
      self.transitions = transitions
      self.rule = rule
      ruled = rule?.transitions(notBefore: transitions.last?.start ?? .min) ?? []
    }

    static func == (left: Contents, right: Contents) -> Bool {
      left === right
        || left.name == right.name && left.initialOffsetSeconds == right.initialOffsetSeconds
          && left.transitions == right.transitions && left.rule == right.rule
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  private let contents: Contents

  /// Its name as people write it: `Europe/Berlin`, `UTC`.
  package var name: String { contents.name }
  package var initialOffsetSeconds: Int { contents.initialOffsetSeconds }
  package var transitions: [Transition] { contents.transitions }
  package var rule: ZoneRule? { contents.rule }
  /// The changes by the rule in the years in which jobs run, after all transitions; perhaps none.
  var ruled: [Transition] { contents.ruled }

  /// A zone of the given transitions, which are in the order of their starts.
  package init(
    name: String, initialOffsetSeconds: Int, transitions: [Transition] = [], rule: ZoneRule? = nil
  ) {
    contents = Contents(
      name: name, initialOffsetSeconds: initialOffsetSeconds, transitions: transitions, rule: rule)
  }

  package static let utc = Zone(name: "UTC", initialOffsetSeconds: 0)

  /// Seconds east of Greenwich at `instant`.
  package func offsetSeconds(at instant: WallInstant) -> Int {
    offsetSeconds(atEpochSeconds: instant.nanoseconds.flooredQuotient(by: 1_000_000_000))
  }

  package func civilTime(at instant: WallInstant) -> CivilTime {
    let seconds = instant.nanoseconds.flooredQuotient(by: 1_000_000_000)
    let millisecond = Int(instant.milliseconds.flooredRemainder(by: 1000))
    return CivilTime(
      epochSeconds: seconds + Int64(offsetSeconds(atEpochSeconds: seconds)),
      millisecond: millisecond)
  }

  /// Finds a gap or a repeat by the offsets a day to either side.
  package func read(_ civil: CivilTime) -> Reading {
    let local = civil.epochSeconds
    let before = offsetSeconds(atEpochSeconds: local - 86_400)
    let after = offsetSeconds(atEpochSeconds: local + 86_400)
    let instants = Set([before, after]).map { local - Int64($0) }
    let candidates = instants.sorted().filter {
      $0 + Int64(offsetSeconds(atEpochSeconds: $0)) == local
    }
    switch candidates.count {
    case 0: return .skipped(next: endOfGap(local: local, before: before, after: after))
    case 1: return .once(instant(candidates[0], civil))
    default:
      return .twice(first: instant(candidates[0], civil), second: instant(candidates[1], civil))
    }
  }

  private func instant(_ seconds: Int64, _ civil: CivilTime) -> WallInstant {
    WallInstant(milliseconds: seconds * 1000 + Int64(civil.millisecond))
  }

  /// The transition between the two readings of a time that does not exist, by bisection.
  private func endOfGap(local: Int64, before: Int, after: Int) -> WallInstant {
    var low = local - Int64(max(before, after)) - 1
    var high = local - Int64(min(before, after)) + 1
    let offset = offsetSeconds(atEpochSeconds: low)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if offsetSeconds(atEpochSeconds: middle) == offset { low = middle } else { high = middle }
    }
    return WallInstant(milliseconds: high * 1000)
  }

  package func offsetSeconds(atEpochSeconds seconds: Int64) -> Int {
    if let span = ruledSpan(atEpochSeconds: seconds) { return span.offsetSeconds }
    guard let last = transitions.last else {
      return rule?.offsetSeconds(atEpochSeconds: seconds) ?? initialOffsetSeconds
    }
    if seconds >= last.start {
      return rule?.offsetSeconds(atEpochSeconds: seconds) ?? last.offsetSeconds
    }
    let count = transitions.count(through: seconds)
    return count == 0 ? initialOffsetSeconds : transitions[count - 1].offsetSeconds
  }
}

extension Zone {
  /// The name of a zone that counts no leap seconds, for one that does (`right/Europe/Berlin`), whose
  /// times are none of this system's clock; nil for all other names.
  package static func plainName(of name: String) -> String? {
    let folder = "right/"
    return name.hasPrefix(folder) && name.utf8.count > folder.utf8.count
      ? String(name.dropFirst(folder.count)) : nil
  }
}

/// A source of zones by name.
///
/// Safe from any thread.
package protocol ZoneSource: Sendable {
  /// The zone of that name (`Europe/Berlin`, `UTC`, `local` for the machine's own); nil when there
  /// is none.
  func zone(named name: String) -> Zone?

  /// Names that a person may have meant; in any order, perhaps none.
  var zoneNames: [String] { get }

  /// The reason why `local` is not the zone that the environment asks for; nil where it is. Default
  /// nil.
  var localFlaw: String? { get }
}

extension ZoneSource {
  package var localFlaw: String? { nil }

  /// Advice for a machine that has only the zones that need no files; nil where there are others,
  /// or no names are known.
  package var missingFilesHint: String? {
    let names = zoneNames
    guard !names.isEmpty, names.allSatisfy({ $0 == "UTC" || $0 == "local" }) else { return nil }
    return "this machine has no time zone files; install the package tzdata"
  }
}
