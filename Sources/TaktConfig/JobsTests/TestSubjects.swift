import TaktCore

struct TestSubjects {
  let snapshot: Snapshot
  private let names: Set<String>
  private let families: [String: [JobName]]

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    names = Set(snapshot.jobs.map(\.name.text))
    var families: [String: [JobName]] = [:]
    for job in snapshot.jobs {
      if let family = job.family { families[family.text, default: []].append(job.name) }
    }
    self.families = families
  }

  static let all = "all"

  /// The jobs of a name: a job, those of a definition with `for_each`, or those that match a
  /// pattern with `*`. Reports an unknown name.
  func jobs(_ name: String, at mark: YAMLMark, _ reporter: Reporter) -> [JobName]? {
    if name == Self.all { return snapshot.jobs.map(\.name) }
    if names.contains(name), let job = JobName(name) { return [job] }
    if let members = families[name] { return members }
    guard name.contains("*") else {
      reporter.report(
        .unknownJob, at: mark, "there is no job '\(name.shortened)' in the jobs file",
        hint: snapshot.advice(onUnknown: name, besides: [Self.all]))
      return nil
    }
    let pattern = Array(name.utf8)
    let matched = snapshot.jobs.map(\.name).filter { Self.matches($0.text.utf8, pattern) }
    if !matched.isEmpty { return matched }
    reporter.report(.unknownJob, at: mark, "no job's name matches '\(name.shortened)'")
    return nil
  }

  /// Matches a name with a pattern in which `*` covers any characters. The product of both lengths
  /// bounds its time.
  private static func matches(_ name: String.UTF8View, _ pattern: [UInt8]) -> Bool {
    let name = Array(name)
    var (place, spot) = (0, 0)
    var (star, mark) = (-1, 0)
    while place < name.count {
      if spot < pattern.count, pattern[spot] == UInt8(ascii: "*") {
        (star, mark) = (spot, place)
        spot += 1
      } else if spot < pattern.count, pattern[spot] == name[place] {
        (place, spot) = (place + 1, spot + 1)
      } else if star >= 0 {
        mark += 1
        (place, spot) = (mark, star + 1)
      } else {
        return false
      }
    }
    return pattern[spot...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
