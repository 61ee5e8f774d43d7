package import TaktTime

/// A job's memory besides its slots, which outlives takt: its alarms, so that none is sent twice,
/// and the ends of other jobs that it waits for.
package struct JobAlarms: Hashable, Sendable {
  /// Identifies an action of a hook by its content, since a reload may move it within the list.
  package struct Place: Hashable, Comparable, Sendable {
    package var hook: HookKind
    /// A hash of the action and of its `when`.
    package var action: UInt64

    package static func < (left: Self, right: Self) -> Bool {
      (left.hook, left.action) < (right.hook, right.action)
    }
  }

  /// The last call of an action.
  package struct Call: Hashable, Sendable {
    package var at: WallInstant
    /// True if that was in the present series of failures.
    package var isOfStreak: Bool
    package var progress = Progress.done
  }

  package enum Progress: Hashable, Sendable {
    case waiting(for: RunID)
    case done
    /// takt ended before the hook did: the action may never have been called.
    case lost
  }

  package var calls: [Place: Call] = [:]
  /// Nil for a job without an expected success.
  package var freshness: Freshness?
  /// The ends of jobs of `after: {all: […]}` that count, since the job was last due by them.
  package var ended: [JobName: WallInstant] = [:]
  /// The hooks and pings that have failed and have not succeeded since, by their names.
  package var failures: [String: AlarmFailure] = [:]

  package var isEmpty: Bool {
    calls.isEmpty && freshness == nil && ended.isEmpty && failures.isEmpty
  }

  /// The last call of an action, if it ended or still may.
  func call(_ place: Place) -> Call? { calls[place].flatMap { $0.progress == .lost ? nil : $0 } }

  /// A hook's run has ended. Returns true if any call depended on it.
  mutating func hookEnded(_ run: RunID, isLost: Bool) -> Bool {
    let places = calls.filter { $0.value.progress == .waiting(for: run) }.keys
    for place in Array(places) { calls[place]?.progress = isLost ? .lost : .done }
    return !places.isEmpty
  }

  /// The daemon whose hooks these were has ended.
  mutating func loseOpenCalls() {
    for place in Array(calls.keys) where calls[place]?.progress != .done {
      calls[place]?.progress = .lost
    }
  }

  mutating func endStreak() {
    for place in Array(calls.keys) { calls[place]?.isOfStreak = false }
  }
}

/// A failed hook or ping, whose message is missing.
package struct AlarmFailure: Hashable, Sendable {
  /// The name of all pings, whatever they report.
  package static let ping = "ping"
  /// The time for which it is remembered while the job's runs succeed.
  static let keptFor = Duration.seconds(7 * 86_400)

  package var at: WallInstant
  package var run: RunID
  /// Its outcome: `failed, refused`.
  package var words: String
  /// True if `on_alarm_failed` has reported it.
  package var isReported = false

  package init(at: WallInstant, run: RunID, words: String) {
    self.at = at
    self.run = run
    // Bounded, since the ledger has little room for it.
    self.words = String(words.unicodeScalars.prefix(100)).printable
  }

  static func name(_ hook: HookKind, isPing: Bool) -> String { isPing ? ping : hook.rawValue }
}

/// Tracks if a job has succeeded as recently as it should.
package struct Freshness: Hashable, Sendable {
  /// The last success, or the time at which takt first expected one.
  package var since: WallInstant
  /// The start of the time that counts instead, since the job could not have succeeded before: takt
  /// was down, or the job was suspended. Nil if it counts from `since`.
  package var countsFrom: WallInstant?
  /// Nil while it is not stale.
  package var staleSince: WallInstant?
  /// `countsFrom` is after an absence of takt: the next failure makes the job stale, and another
  /// absence changes nothing.
  package var isLastChance = false

  func deadline(_ limit: Duration) -> WallInstant { (countsFrom ?? since) + limit }
}

extension JobAlarms {
  /// The form in the ledger: `on_failure.c0ffee=1790000000000+?
  /// fresh=1790000000000//1790000900000`. `+` is for a call of the present series, `?` for one
  /// without a known end. The end of another job is `ended.backup=1790000000000`.
  package var text: String {
    var words = calls.sorted { $0.key < $1.key }.map { place, call in
      "\(place.hook.rawValue).\(String(place.action, radix: 16))=\(call.at.milliseconds)"
        + (call.isOfStreak ? "+" : "") + (call.progress == .done ? "" : "?")
    }
    if let freshness {
      let instants = [freshness.since, freshness.countsFrom, freshness.staleSince]
      words.append(
        "fresh=" + instants.map { $0.map { "\($0.milliseconds)" } ?? "" }.joined(separator: "/")
          + (freshness.isLastChance ? "/last" : ""))
    }
    words += ended.sorted { $0.key < $1.key }.map {
      "\(Self.endedPrefix)\($0.key)=\($0.value.milliseconds)"
    }
    words += failures.sorted { $0.key < $1.key }.map { name, failure in
      "\(Self.failedPrefix)\(name)=\(failure.at.milliseconds)/\(failure.run.number)/"
        + failure.words.replacing(" ", with: Self.space)
    }
    words += failures.sorted { $0.key < $1.key }.filter(\.value.isReported).map { name, _ in
      "\(Self.reportedPrefix)\(name)=1"
    }
    return words.joined(separator: " ")
  }

  /// Ignores unknown words, such as a hook of a later version.
  package init(text: String) {
    var reported: [String] = []
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      if parts[0] == "fresh" {
        freshness = Self.freshness(parts[1])
        continue
      }
      if parts[0].hasPrefix(Self.endedPrefix),
        let job = JobName(String(parts[0].dropFirst(Self.endedPrefix.count))),
        let at = Int64(parts[1])
      {
        ended[job] = WallInstant(milliseconds: at)
        continue
      }
      if parts[0].hasPrefix(Self.failedPrefix) {
        failures[String(parts[0].dropFirst(Self.failedPrefix.count))] = Self.failure(parts[1])
        continue
      }
      if parts[0].hasPrefix(Self.reportedPrefix) {
        reported.append(String(parts[0].dropFirst(Self.reportedPrefix.count)))
        continue
      }
      let name = parts[0].split(separator: ".").map(String.init)
      let digits = parts[1].prefix { $0 != "+" && $0 != "?" }
      let marks = parts[1][digits.endIndex...]
      guard name.count == 2, let hook = HookKind(rawValue: name[0]),
        let action = UInt64(name[1], radix: 16), let at = Int64(digits)
      else { continue }
      calls[Place(hook: hook, action: action)] = Call(
        at: WallInstant(milliseconds: at), isOfStreak: marks.contains("+"),
        progress: marks.contains("?") ? .lost : .done)
    }
    for name in reported { failures[name]?.isReported = true }
  }

  private static let endedPrefix = "ended."
  private static let failedPrefix = "failed."
  private static let reportedPrefix = "reported."
  /// Stands for a space in a word.
  private static let space = "\u{a0}"

  private static func failure(_ text: String) -> AlarmFailure? {
    let words = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count == 3, let at = Int64(words[0]), let run = UInt64(words[1]) else { return nil }
    return AlarmFailure(
      at: WallInstant(milliseconds: at), run: RunID(run),
      words: String(words[2]).replacing(space, with: " "))
  }

  private static func freshness(_ text: String) -> Freshness? {
    let words = text.split(separator: "/", omittingEmptySubsequences: false)
    let instants = words.map { Int64($0).map { WallInstant(milliseconds: $0) } }
    guard instants.count >= 3, let since = instants[0] else { return nil }
    return Freshness(
      since: since, countsFrom: instants[1], staleSince: instants[2],
      isLastChance: words.dropFirst(3).contains("last"))
  }
}

extension Step {
  /// The key of a hook's memory: the same after a restart, and at any place in the list.
  func place(in hook: HookKind) -> JobAlarms.Place {
    let words = [HiddenValue].of(action, under: "").map { "\($0.path)=\($0.shown)" }
    return JobAlarms.Place(
      hook: hook, action: StableHash.of((words + [rule.when.text]).joined(separator: "\n")))
  }
}

extension WallInstant {
  /// The instant in the ledger's precision: the last one of its millisecond.
  var kept: WallInstant { WallInstant(milliseconds: milliseconds) }
}
