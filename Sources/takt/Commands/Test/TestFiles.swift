import ArgumentParser
import Glibc
import TaktConfig
import TaktCore
import TaktEngine
import TaktSystem
import TaktTime

/// The two files of tests: the jobs, and the expectations.
struct TestFiles {
  private static let ending = ".test"
  private static let extensions = [".yaml", ".yml"]

  let tests: String
  private(set) var jobs: String

  /// - Parameter file: either of them; the other one is next to it.
  init(_ file: String) {
    let suffix = Self.extensions.first { file.hasSuffix($0) } ?? ""
    let stem = String(file.dropLast(suffix.count))
    let kind = suffix.isEmpty ? ".yaml" : suffix
    if stem.hasSuffix(Self.ending) {
      tests = file
      jobs = stem.dropLast(Self.ending.count) + kind
    } else {
      jobs = file
      tests = stem + Self.ending + kind
    }
  }

  var hasTests: Bool { access(tests, F_OK) == 0 }

  /// True if there is a file with something in it: `takt test --record NAME > FILE` has emptied or made
  /// it before takt begins.
  var hasRecordedTests: Bool {
    guard let status = try? FileStatus(at: tests) else { return hasTests }
    return status.sizeBytes > 0 || status.type != .file
  }

  /// The tests; prints the diagnostics, and ends the program if there are any.
  mutating func load() throws -> [JobsTest] {
    guard hasTests || errno != ENOENT else {
      Console.error(
        "takt: there are no tests \(tests.printable); write some, or print one with "
          + "`takt test --record NAME`")
      throw ExitCode.configuration
    }
    let reader = TestFileReader(
      path: tests, jobsFile: jobs, zones: ZoneFiles(), jobs: Self.jobs(at:local:))
    let result = try reader.read()
    for diagnostic in result.diagnostics { Console.error(diagnostic) }
    if result.diagnostics.contains(where: { $0.severity == .error }) {
      throw ExitCode.configuration
    }
    jobs = result.jobsFile
    return result.tests
  }

  /// - Parameter local: the zone that `local` means.
  static func jobs(at path: String, local: Zone) throws -> Snapshot {
    var source = JobsFileSource(path: path, catalogue: BuiltinRegistry.standard)
    source.localZone = local
    return try source.loadOrExit(isQuiet: true).snapshot
  }

  /// The declarations of jobs of a failed test.
  func places(of names: Set<JobName>, in test: JobsTest) -> [JobName: SourceLocation] {
    var source = JobsFileSource(path: jobs, catalogue: BuiltinRegistry.standard)
    source.localZone = test.zone
    let files = source.load().files.paths
    return JobPlaces.find(names, of: test.snapshot, in: [jobs] + files)
  }
}
