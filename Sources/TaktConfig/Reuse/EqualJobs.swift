import TaktCore

/// The jobs of one file that need not be made anew: those that say what a job of the last load said,
/// and those that differ from one of this load only in their names, in `run` and in `description`.
///
/// Large files are written by programs, whose jobs are of few kinds.
struct EqualJobs {
  /// How many kinds are remembered.
  private static let kindsMax = 10_000

  /// The first job of a kind.
  struct Kind {
    var spec: JobSpec
    /// Whether it may come to something else at the next load.
    var isVolatile: Bool
  }

  /// Those of the last load, in the order of the file as it was.
  private let last: [RememberedFile.Job]
  private var next = 0
  /// Where they are; made when the orders differ.
  private var places: [JobDigest: Int]?
  private var kinds: [JobDigest: Kind] = [:]

  init(_ last: [RememberedFile.Job]) { self.last = last }

  /// The spec of a job of the last load that says the same; nil where there was none.
  mutating func spec(of digest: JobDigest) -> JobSpec? {
    if next < last.count, last[next].digest == digest {
      next += 1
      return last[next - 1].spec
    }
    let places = self.places ?? Self.places(of: last)
    self.places = places
    guard let place = places[digest] else { return nil }
    next = place + 1
    return last[place].spec
  }

  private static func places(of jobs: [RememberedFile.Job]) -> [JobDigest: Int] {
    var places = [JobDigest: Int](minimumCapacity: jobs.count)
    for (place, job) in jobs.enumerated() { places[job.digest] = place }
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
}
