import TaktCore
import TaktTime

/// A number for all that a value holds, whatever its fields are called and however deep they lie.
///
/// What was only counted is left out: two values that differ in how many runs or timers there have
/// been before, and in nothing else, have one number. Numbers of runs and tokens of timers count by
/// the order in which they appear.
struct ValueDigest {
  /// What is written of a field's value.
  fileprivate enum Kind {
    case all
    case int, uint64, int64, bool, instant, wall
    /// Only what hashes alike is equal.
    case whole
    case dictionary
    /// The order of the elements says nothing.
    case unordered
    case run
  }

  /// Counters: nothing follows from how far they have come.
  private static let counters: Set<String> = [
    "lastToken", "lastBatch", "lastRun", "transitionCount", "seed", "effects", "index", "bugs",
    "heardAt",
  ]
  /// Names that were given to timers.
  private static let tokens: Set<String> = [
    "token", "timerToken", "expectedToken", "shutdownToken",
  ]

  private var hasher = Hasher()
  private let kinds: Kinds
  private var runs: [UInt64: Int] = [:]
  private var given: [UInt64: Int] = [:]

  /// The kinds of the types that have been met: to find one out takes longer than all else.
  final class Kinds {
    fileprivate var known: [ObjectIdentifier: Kind] = [:]
  }

  init(_ kinds: Kinds) { self.kinds = kinds }

  var number: Int { hasher.finalize() }

  mutating func add(_ value: Any) { add(value, label: nil) }

  mutating func add(token: UInt64) {
    let place = token == 0 ? -1 : given[token] ?? given.count
    if token != 0 { given[token] = place }
    write(place)
  }

  mutating func add(run: RunID) {
    let place = runs[run.number] ?? runs.count
    runs[run.number] = place
    write(place)
  }

  private mutating func write(_ value: some Hashable) {
    hasher.combine(value)
  }

  private mutating func add(_ value: Any, label: String?) {
    if let label {
      if Self.counters.contains(label) { return }
      if Self.tokens.contains(label), let token = value as? UInt64 { return add(token: token) }
    }
    switch kind(of: value) {
    case .int: if let value = value as? Int { hasher.combine(value) }
    case .uint64: if let value = value as? UInt64 { hasher.combine(value) }
    case .int64: if let value = value as? Int64 { hasher.combine(value) }
    case .bool: if let value = value as? Bool { hasher.combine(value) }
    case .instant: if let value = value as? MonotonicInstant { hasher.combine(value) }
    case .wall: if let value = value as? WallInstant { hasher.combine(value) }
    case .run: if let run = value as? RunID { add(run: run) }
    case .whole: if let value = value as? any Hashable { write(value) }
    case .dictionary: addSorted(Mirror(reflecting: value).children.map { pair($0.value) })
    case .unordered:
      var elements: [Any] = []
      for child in Mirror(reflecting: value).children { elements.append(child.value) }
      addSorted(elements.map { (order(of: $0), [$0]) })
    case .all:
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .enum, mirror.children.isEmpty {
        return write(String(describing: value))
      }
      hasher.combine(mirror.children.count)
      for child in mirror.children {
        if mirror.displayStyle == .enum, let label = child.label { write(label) }
        add(child.value, label: child.label)
      }
    }
  }

  private func pair(_ element: Any) -> (Int, [Any]) {
    let parts = Mirror(reflecting: element).children.map(\.value)
    return (order(of: parts[0]), parts)
  }

  /// An order that does not depend on where an element lies.
  private func order(of element: Any) -> Int {
    (element as? any Hashable)?.hashValue ?? String(describing: element).hashValue
  }

  private mutating func addSorted(_ elements: [(Int, [Any])]) {
    hasher.combine(elements.count)
    for (_, parts) in elements.sorted(by: { $0.0 < $1.0 }) {
      for part in parts { add(part, label: "-") }
    }
  }

  private func kind(of value: Any) -> Kind {
    let type = type(of: value)
    let key = ObjectIdentifier(type)
    if let known = kinds.known[key] { return known }
    let kind = Self.kind(of: type)
    kinds.known[key] = kind
    return kind
  }

  private static func kind(of type: Any.Type) -> Kind {
    if type == RunID.self { return .run }
    if type == Int.self { return .int }
    if type == UInt64.self { return .uint64 }
    if type == Int64.self { return .int64 }
    if type == Bool.self { return .bool }
    if type == MonotonicInstant.self { return .instant }
    if type == WallInstant.self { return .wall }
    let whole: [Any.Type] = [
      Int32.self, UInt8.self, UInt16.self, UInt32.self, String.self, Double.self, Duration.self,
      JobName.self, JobSpec.self, Schedule.self, MemberFacts.self,
      ClusterNews.self, SchedulerSettings.self, ClaimToken.self, MemberID.self, JobID.self,
      ClaimFailure.self, Verdict.self, Outcome.self, RunRules.self, RunMachine.self,
      JobCheckpoint.self,
      ScheduleVersion.self, AuditedVersion.self, VerdictRecord.self, PastSlots.self, JobAlarms.self,
      RunTotals.self, Timing.self, SlotSeries.self,
    ]
    if whole.contains(where: { $0 == type }) { return .whole }
    let name = String(reflecting: type)
    if name.hasPrefix("Swift.Dictionary<") { return .dictionary }
    if name.hasPrefix("Swift.Set<") || name.hasPrefix("HeapModule.Heap<") { return .unordered }
    return .all
  }
}
