import DequeModule
import HeapModule
@_spi(Reflection) import Swift
import TaktCore
import TaktTime

/// A number for the whole contents of a value, at any depth and whatever its fields are called.
///
/// Mere counts are left out: two values that differ only in the number of earlier runs or timers
/// have the same number. Numbers of runs and tokens of timers count by the order in which they
/// appear.
///
/// The writer of a type is found once. Reflection of each value took nine tenths of the explorer's
/// time.
struct ValueDigest {
  /// Writes the value at an address.
  fileprivate typealias Writer = (UnsafeRawPointer, inout ValueDigest) -> Void

  /// Counters: their values have no consequences.
  private static let counters: Set<String> = [
    "lastToken", "lastBatch", "lastRun", "transitionCount", "seed", "effects", "index", "bugs",
    "heardAt", "roundTrip",
  ]
  /// Fields that follow from the rest, or are the same for all.
  private static let derived: Set<String> = ["slotsByToken", "placement"]
  /// Their first rows are placeholders, which are reset before any use.
  private static let tables: Set<String> = ["rows"]
  /// Names that were given to timers.
  private static let tokens: Set<String> = [
    "token", "timerToken", "expectedToken", "shutdownToken",
  ]
  /// Types whose equal values have equal hashes, and in which no number is a mere count.
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
  /// The hash of mere counts.
  private var counts = Hasher()
  /// True while mere counts are written.
  private var isCounting = false
  /// True for a table whose first row is to be left out.
  fileprivate var skipsFirst = false
  private let kinds: Kinds
  private var runs: [UInt64: Int] = [:]
  private var given: [UInt64: Int] = [:]

  /// The writers of types so far.
  final class Kinds {
    /// One that is still unfinished may be needed by its own parts.
    fileprivate final class Entry {
      var write: Writer = { _, _ in }
    }

    fileprivate var known: [ObjectIdentifier: Entry] = [:]
  }

  init(_ kinds: Kinds) { self.kinds = kinds }

  var number: Int { hasher.finalize() }

  /// A number that also differs for values that differ in mere counts.
  var exactNumber: Int {
    var counts = counts
    counts.combine(number)
    return counts.finalize()
  }

  fileprivate mutating func combine(_ value: some Hashable) {
    if isCounting { counts.combine(value) } else { hasher.combine(value) }
  }

  /// Writes mere counts.
  mutating func count(_ write: (inout ValueDigest) -> Void) {
    let before = isCounting
    isCounting = true
    write(&self)
    isCounting = before
  }

  mutating func add<Value>(_ value: Value) {
    // The value has this address during the call.
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

  /// Writes parts in an order that does not depend on their addresses.
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
      // The reference is at this address.
      return { place, digest in write(place.load(as: UnsafeRawPointer.self), &digest) }
    }
    func open<Value>(_ type: Value.Type) -> Writer { Self.reflecting(type) }
    return open(type)
  }

  /// A field has its offset for as long as the value lives.
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

  /// The first word of a type's metadata is its kind.
  private static func isStruct(_ type: Any.Type) -> Bool {
    unsafeBitCast(type, to: UnsafePointer<UInt>.self).pointee == _MetadataKind.struct.rawValue
  }

  /// True if it has no room for a number.
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

/// A type with its own way of writing.
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

/// The ledger's record: the time of writing and the run have no consequences.
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
