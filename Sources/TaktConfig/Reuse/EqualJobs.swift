import TaktCore

/// The jobs of one file that are not made again: those equal to a job of the last load, and those
/// that differ from one of this load only in their names, in `run` and in `description`.
///
/// Programs write large files, whose jobs are of few kinds.
struct EqualJobs: Sendable {
  private struct Job: Sendable {
    var digest: JobDigest
    var spec: JobSpec
  }

  struct Kind: Sendable {
    var spec: JobSpec
    /// True if it may differ at the next load.
    var isVolatile: Bool
  }

  /// Everything that the jobs of a file depend on besides their own text.
  struct Context: Equatable, Sendable {
    var settings: SchedulerSettings
    var defaultsNode: YAMLNode?
    /// The results of `defaults`, environment files included.
    var execution: Shared<Execution>
    var policies: Shared<JobPolicies>
    var fileVariables: [String: String]
    var fileOwners: [String: UInt32]
    /// Those of the main file, with the content of their files.
    var calendars: [String: SharedCalendar]
  }

  private static let kindsMax = 10_000

  /// Nil if no load is remembered.
  let context: Context?
  /// Those of the last load, in the previous order of the file.
  private var last: [Job] = []
  private var next = 0
  /// Indices into `last`; made if the orders differ.
  private var places: [JobDigest: Int]?
  private var kinds: [JobDigest: Kind] = [:]
  /// Those of this load, for the next one.
  private var made: [Job] = []

  init(_ context: Context? = nil) { self.context = context }

  /// The state at the start of the next load.
  var ofLastLoad: EqualJobs {
    var jobs = EqualJobs(context)
    jobs.last = made
    return jobs
  }

  /// The spec of an equal job of the last load; nil for none.
  mutating func spec(of digest: JobDigest) -> JobSpec? {
    if next < last.count, last[next].digest == digest {
      next += 1
      return last[next - 1].spec
    }
    let places = self.places ?? placesOfLast()
    self.places = places
    guard let place = places[digest] else { return nil }
    next = place + 1
    return last[place].spec
  }

  private func placesOfLast() -> [JobDigest: Int] {
    var places = [JobDigest: Int](minimumCapacity: last.count)
    for (place, job) in last.enumerated() { places[job.digest] = place }
    return places
  }

  /// Nil if none is remembered.
  subscript(kind: JobDigest) -> Kind? { kinds[kind] }

  /// Remembers the first job of a kind, without diagnostics.
  mutating func keep(_ spec: JobSpec, isVolatile: Bool, as kind: JobDigest) {
    let timing = spec.timing
    guard kinds.count < Self.kindsMax, timing.spread == nil, timing.schedule.after.isEmpty else {
      return
    }
    kinds[kind] = Kind(spec: spec, isVolatile: isVolatile)
  }

  mutating func remember(_ spec: JobSpec, _ digest: JobDigest) {
    if context != nil { made.append(Job(digest: digest, spec: spec)) }
  }
}
