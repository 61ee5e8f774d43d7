import TaktCore

/// The jobs of one file that need not be made anew: those that say what a job of the last load said,
/// and those that differ from one of this load only in their names, in `run` and in `description`.
///
/// Large files are written by programs, whose jobs are of few kinds.
struct EqualJobs: Sendable {
  private struct Job: Sendable {
    var digest: JobDigest
    var spec: JobSpec
  }

  /// The first job of a kind.
  struct Kind: Sendable {
    var spec: JobSpec
    /// Whether it may come to something else at the next load.
    var isVolatile: Bool
  }

  /// What the jobs of a file depend on besides their own text.
  struct Context: Equatable, Sendable {
    var settings: SchedulerSettings
    var defaultsNode: YAMLNode?
    /// What `defaults` come to, environment files included.
    var execution: Shared<Execution>
    var policies: Shared<JobPolicies>
    var fileVariables: [String: String]
    var fileOwners: [String: UInt32]
    /// Those of the main file, with what their files say.
    var calendars: [String: SharedCalendar]
  }

  /// How many kinds are remembered.
  private static let kindsMax = 10_000

  /// Nil where no load is remembered.
  let context: Context?
  /// Those of the last load, in the order of the file as it was.
  private var last: [Job] = []
  private var next = 0
  /// Where they are; made when the orders differ.
  private var places: [JobDigest: Int]?
  private var kinds: [JobDigest: Kind] = [:]
  /// Those of this load that the next one is to know.
  private var made: [Job] = []

  init(_ context: Context? = nil) { self.context = context }

  /// What the next load begins with.
  var ofLastLoad: EqualJobs {
    var jobs = EqualJobs(context)
    jobs.last = made
    return jobs
  }

  /// The spec of a job of the last load that says the same; nil where there was none.
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

  /// The first job of a kind; nil where there was none.
  subscript(kind: JobDigest) -> Kind? { kinds[kind] }

  /// Remembers the first job of a kind, of which nothing had to be reported.
  mutating func keep(_ spec: JobSpec, isVolatile: Bool, as kind: JobDigest) {
    let timing = spec.timing
    guard kinds.count < Self.kindsMax, timing.spread == nil, timing.schedule.after.isEmpty else {
      return
    }
    kinds[kind] = Kind(spec: spec, isVolatile: isVolatile)
  }

  /// Makes a job known to the next load.
  mutating func remember(_ spec: JobSpec, _ digest: JobDigest) {
    if context != nil { made.append(Job(digest: digest, spec: spec)) }
  }
}
