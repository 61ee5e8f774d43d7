package import TaktTime

/// What is remembered of a job's alarms, so that none is sent twice; it outlives takt.
package struct JobAlarms: Hashable, Sendable {
  /// One action of a hook, by its place.
  package struct Place: Hashable, Comparable, Sendable {
    package var hook: HookKind
    package var index: Int

    package static func < (left: Self, right: Self) -> Bool {
      (left.hook, left.index) < (right.hook, right.index)
    }
  }

  /// When an action was called last.
  package struct Call: Hashable, Sendable {
    package var at: WallInstant
    /// Whether that was in the present series of failures.
    package var isOfStreak: Bool
  }

  package var calls: [Place: Call] = [:]
  /// Nil for a job that nobody expects a success of.
  package var freshness: Freshness?

  package init() {}

  package var isEmpty: Bool { calls.isEmpty && freshness == nil }

  /// The present series of failures is over.
  mutating func endStreak() {
    for place in Array(calls.keys) { calls[place]?.isOfStreak = false }
  }
}

/// Whether a job has succeeded as recently as it should.
package struct Freshness: Hashable, Sendable {
  /// When a run last succeeded, or when takt first heard that one should.
  package var since: WallInstant
  /// From where the time counts instead, since the job could not have succeeded before: takt was
  /// down, or the job was suspended. Nil where it counts from `since`.
  package var countsFrom: WallInstant?
  /// Since when it is stale; nil while it is not.
  package var staleSince: WallInstant?

  package init(
    since: WallInstant, countsFrom: WallInstant? = nil, staleSince: WallInstant? = nil
  ) {
    self.since = since
    self.countsFrom = countsFrom
    self.staleSince = staleSince
  }

  /// When it becomes stale.
  func deadline(_ limit: Duration) -> WallInstant { (countsFrom ?? since) + limit }
}

extension JobAlarms {
  /// As the ledger keeps it: `on_failure.0=1790000000000+ fresh=1790000000000//1790000900000`.
  package var text: String {
    var words = calls.sorted { $0.key < $1.key }.map { place, call in
      "\(place.hook.rawValue).\(place.index)=\(call.at.milliseconds)\(call.isOfStreak ? "+" : "")"
    }
    if let freshness {
      let instants = [freshness.since, freshness.countsFrom, freshness.staleSince]
      words.append(
        "fresh=" + instants.map { $0.map { "\($0.milliseconds)" } ?? "" }.joined(separator: "/"))
    }
    return words.joined(separator: " ")
  }

  /// Passes over what it does not know, such as a hook of a later version.
  package init(text: String) {
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      if parts[0] == "fresh" {
        freshness = Self.freshness(parts[1])
        continue
      }
      let name = parts[0].split(separator: ".").map(String.init)
      guard name.count == 2, let hook = HookKind(rawValue: name[0]), let index = Int(name[1]),
        let at = Int64(parts[1].last == "+" ? String(parts[1].dropLast()) : parts[1])
      else { continue }
      calls[Place(hook: hook, index: index)] = Call(
        at: WallInstant(milliseconds: at), isOfStreak: parts[1].last == "+")
    }
  }

  private static func freshness(_ text: String) -> Freshness? {
    let instants = text.split(separator: "/", omittingEmptySubsequences: false).map {
      Int64($0).map { WallInstant(milliseconds: $0) }
    }
    guard instants.count == 3, let since = instants[0] else { return nil }
    return Freshness(since: since, countsFrom: instants[1], staleSince: instants[2])
  }
}

extension WallInstant {
  /// The instant as the ledger keeps it: in whole milliseconds, of which this is the last.
  var kept: WallInstant { WallInstant(milliseconds: milliseconds) }
}
