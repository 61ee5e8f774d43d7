package import TaktCore
import TaktSystem

/// Finds the places of jobs in jobs files.
package enum JobPlaces {
  /// The places of jobs; for `for_each`, that of the definition. Files that are no jobs files are
  /// skipped.
  ///
  /// - Parameter files: the files of a load.
  package static func find(
    _ names: Set<JobName>, of snapshot: Snapshot, in files: [String]
  ) -> [JobName: SourceLocation] {
    var keys: [String: [JobName]] = [:]
    for job in snapshot.jobs where names.contains(job.name) {
      keys[(job.family ?? job.name).text, default: []].append(job.name)
    }
    var places: [JobName: SourceLocation] = [:]
    for file in files {
      if places.count == names.count { break }
      guard let contents = try? FileReader(bound: JobsLoad.sizeBound).read(file, as: .include)
      else { continue }
      let source = SourceText(file: file, bytes: contents.bytes)
      let composer = YAMLComposer(source, limits: YAMLLimits(), reporter: Reporter(source))
      _ = try? composer.openDocument()
      guard let jobs = (try? composer.node())?[Key.jobs], case .mapping(let entries) = jobs.content
      else { continue }
      for entry in entries {
        for name in keys[entry.key] ?? [] where places[name] == nil {
          places[name] = source.place(of: entry.keyMark).location
        }
      }
    }
    return places
  }
}
