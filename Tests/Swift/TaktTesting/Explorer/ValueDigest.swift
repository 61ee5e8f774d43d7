import DequeModule
import HeapModule
@_spi(Reflection) import Swift
import TaktCore
import TaktTime

/// A number for all that a value holds, whatever its fields are called and however deep they lie.
///
/// What was only counted is left out: two values that differ in how many runs or timers there have
/// been before, and in nothing else, have one number. Numbers of runs and tokens of timers count by
/// the order in which they appear.
///
/// How a type is written is found out once. Reflection of each value took nine tenths of the
/// explorer's time.
struct ValueDigest {
  /// Writes the value that lies there.
  fileprivate typealias Writer = (UnsafeRawPointer, inout ValueDigest) -> Void

  /// Counters: nothing follows from how far they have come.
  private static let counters: Set<String> = [
    "lastToken", "lastBatch", "lastRun", "transitionCount", "seed", "effects", "index", "bugs",
    "heardAt", "roundTrip",
  ]
  /// What follows from the rest, or is the same for all.
  private static let derived: Set<String> = ["slotsByToken", "placement"]
  /// Their first rows are placeholders: they are reset before something is read there.
  private static let tables: Set<String> = ["rows"]
  /// Names that were given to timers.
  private static let tokens: Set<String> = [
    "token", "timerToken", "expectedToken", "shutdownToken",
  ]
  /// Types of which only what hashes alike is equal, and in which no number only counts.
  private static var whole: [any Hashable.Type] {
    [
      Int.self, UInt64.self, Int64.self, Bool.self, Int32.self, UInt8.self, UInt16.self,
      UInt32.self,
      String.self, Double.self, Duration.self, MonotonicInstant.self, WallInstant.self,
      JobName.self, JobSpec.self, Schedule.self, MemberFacts.self, ClusterNews.self,
      SchedulerSettings.self, ClaimToken.self, MemberID.self, JobID.self, ClaimFailure.self,
      Verdict.self, Outcome.self, RunRules.self, RunMachine.self, JobCheckpoint.self,
      ScheduleVersion.self, AuditedVersion.self, PastSlots.self, JobAlarms.self,
      RunTotals.self, Timing.self, SlotSeries.self, AttemptResult.self, RunReason.self,
      MemoryEngine.Job.self, ClaimEnding.self, RememberedClaim.self,
    ]
  }

  /// `_EachFieldOptions.classType`, which is a variable there.
  private static var ofClass: _EachFieldOptions { _EachFieldOptions(rawValue: 1) }

  private var hasher = Hasher()
  /// Of what is only counted.
  private var counts = Hasher()
  /// What is written now is only counted.
  private var isCounting = false
  /// Of a table that is written now the first row is left out.
  fileprivate var skipsFirst = false
  private let kinds: Kinds
  private var runs: [UInt64: Int] = [:]
  private var given: [UInt64: Int] = [:]

  /// How the types are written that have been met.
  final class Kinds {
    /// One that is being found out may be needed by its own parts.
    fileprivate final class Entry {
      var write: Writer = { _, _ in }
    }

    fileprivate var known: [ObjectIdentifier: Entry] = [:]
  }

  init(_ kinds: Kinds) { self.kinds = kinds }

  var number: Int { hasher.finalize() }

  /// A number that also tells values apart that differ in what was only counted.
  var exactNumber: Int {
    var counts = counts
    counts.combine(number)
    return counts.finalize()
  }

  fileprivate mutating func combine(_ value: some Hashable) {
    if isCounting { counts.combine(value) } else { hasher.combine(value) }
  }

  /// What is only counted.
  mutating func count(_ write: (inout ValueDigest) -> Void) {
    let before = isCounting
    isCounting = true
    write(&self)
    isCounting = before
  }

  mutating func add<Value>(_ value: Value) {
    // The value lies there for the time of the call.
    withUnsafePointer(to: value) { entry(for: Value.self).write(UnsafeRawPointer($0), &self) }
  }

  mutating func add(token: UInt64) {
    counts.combine(token)
    let place = token == 0 ? -1 : given[token] ?? given.count
    if token != 0 { given[token] = place }
    combine(place)
  }

  mutating func add(run: RunID) {
    counts.combine(run)
    let place = runs[run.number] ?? runs.count
    runs[run.number] = place
    combine(place)
  }

  /// In an order that does not depend on where the parts lie.
  fileprivate mutating func addSorted<Parts: Collection>(
    _ parts: Parts, by key: (Parts.Element) -> Any
  ) {
    combine(parts.count)
    // Most have one at most, and sorting takes long.
    guard parts.count > 1 else {
      for part in parts { add(part) }
      return
    }
    let sorted = parts.map { part in (Self.order(of: key(part)), part) }.sorted { $0.0 < $1.0 }
    for (_, part) in sorted { add(part) }
  }

  private static func order(of element: Any) -> Int {
    (element as? any Hashable)?.hashValue ?? String(describing: element).hashValue
  }

  // MARK: How a type is written

  private func entry(for type: Any.Type) -> Kinds.Entry {
    let key = ObjectIdentifier(type)
    if let known = kinds.known[key] { return known }
    let entry = Kinds.Entry()
    kinds.known[key] = entry
    entry.write = writer(for: type)
    return entry
  }

  private func writer(for type: Any.Type) -> Writer {
    if type == RunID.self {
      return { place, digest in digest.add(run: place.load(as: RunID.self)) }
    }
    if let type = type as? any Hashable.Type,
      Self.isFlag(type) || Self.whole.contains(where: { $0 == type })
    {
      return Self.hashing(type)
    }
    if let type = type as? any Digested.Type { return Self.digesting(type) }
    if Self.isStruct(type) { return parts(of: type) }
    if type is AnyObject.Type {
      let write = parts(of: type, options: Self.ofClass)
      // What lies there is the reference.
      return { place, digest in write(place.load(as: UnsafeRawPointer.self), &digest) }
    }
    func open<Value>(_ type: Value.Type) -> Writer { Self.reflecting(type) }
    return open(type)
  }

  /// A field lies at its offset for as long as the value does.
  private func parts(of type: Any.Type, options: _EachFieldOptions = []) -> Writer {
    var fields: [Writer] = []
    _ = _forEachField(of: type, options: options) { name, offset, type, _ in
      if let write = field(String(cString: name), type) {
        fields.append { place, digest in write(place + offset, &digest) }
      }
      return true
    }
    return { place, digest in for write in fields { write(place, &digest) } }
  }

  private func field(_ name: String, _ type: Any.Type) -> Writer? {
    if Self.derived.contains(name) { return nil }
    if Self.counters.contains(name) {
      let entry = entry(for: type)
      return { place, digest in digest.count { entry.write(place, &$0) } }
    }
    if Self.tables.contains(name) {
      let entry = entry(for: type)
      return { place, digest in
        digest.skipsFirst = true
        entry.write(place, &digest)
      }
    }
    if Self.tokens.contains(name), type == UInt64.self {
      return { place, digest in digest.add(token: place.load(as: UInt64.self)) }
    }
    let entry = entry(for: type)
    return { place, digest in entry.write(place, &digest) }
  }

  /// The first word of what the runtime knows of a type says what kind of type it is.
  private static func isStruct(_ type: Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == _MetadataKind.struct.rawValue
  }

  /// Whether no number fits in.
  private static func isFlag<Value: Hashable>(_: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= 1
  }

  private static func hashing<Value: Hashable>(_: Value.Type) -> Writer {
    { place, digest in digest.combine(place.assumingMemoryBound(to: Value.self).pointee) }
  }

  private static func digesting<Value: Digested>(_: Value.Type) -> Writer {
    { place, digest in place.assumingMemoryBound(to: Value.self).pointee.add(to: &digest) }
  }

  private static func reflecting<Value>(_: Value.Type) -> Writer {
    { place, digest in digest.reflect(place.assumingMemoryBound(to: Value.self).pointee) }
  }

  private mutating func reflect(_ value: Any) {
    if type(of: value) is AnyObject.Type {
      let reference = value as AnyObject
      return withUnsafePointer(to: reference) {
        entry(for: type(of: value)).write(UnsafeRawPointer($0), &self)
      }
    }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum, mirror.children.isEmpty {
      return combine(String(describing: value))
    }
    combine(mirror.children.count)
    for child in mirror.children {
      if mirror.displayStyle == .enum, let label = child.label { combine(label) }
      if let label = child.label, Self.counters.contains(label) { continue }
      func open<Value>(_ value: Value) { add(value) }
      _openExistential(child.value, do: open)
    }
  }
}

/// What is written in a way of its own.
private protocol Digested {
  func add(to digest: inout ValueDigest)
}

extension Optional: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    digest.combine(self != nil)
    if let value = self { digest.add(value) }
  }
}

extension Array: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    digest.combine(count)
    let first = digest.skipsFirst ? 1 : 0
    digest.skipsFirst = false
    for element in dropFirst(first) { digest.add(element) }
  }
}

extension TimerID: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    switch self {
    case .run(let run), .expected(let run):
      digest.combine(self == .run(run))
      digest.add(run: run)
    case .job, .pause, .freshness, .placement, .shutdown: digest.combine(self)
    }
  }
}

/// The ledger's: when it was written, and by which run, nobody asks.
extension VerdictRecord: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    for part in [job.hashValue, slots.hashValue, verdict.hashValue] { digest.combine(part) }
    digest.count {
      $0.combine(at)
      $0.combine(run)
    }
  }
}

extension Deque: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    digest.combine(count)
    for element in self { digest.add(element) }
  }
}

extension Dictionary: Digested {
  fileprivate func add(to digest: inout ValueDigest) {
    digest.combine(count)
    if count < 2 {
      for (key, value) in self {
        digest.add(key)
        digest.add(value)
      }
      return
    }
    for (key, value) in sorted(by: { $0.key.hashValue < $1.key.hashValue }) {
      digest.add(key)
      digest.add(value)
    }
  }
}

extension Set: Digested {
  fileprivate func add(to digest: inout ValueDigest) { digest.addSorted(self) { $0 } }
}

extension Heap: Digested {
  fileprivate func add(to digest: inout ValueDigest) { digest.addSorted(unordered) { $0 } }
}
