import TaktCore
import TaktSystem

/// The environment files of one load, each read once however many jobs name it.
final class EnvironmentFiles {
  /// The most bytes that one may have.
  private static let sizeBound = 1 << 20

  private let files: LoadFiles
  private var owners: [String: UInt32] = [:]
  private(set) var answers = FileAnswers<[String: String]>()
  private(set) var log = ProblemLog()
  /// How often variables were asked for.
  private(set) var useCount = 0

  init(_ files: LoadFiles) { self.files = files }

  /// The variables of the file at an absolute path; none where it is wrong, which is then
  /// reported: in the file's own place, or at `mark` when it cannot be read at all.
  func variables(
    of path: String, shown: String, at mark: YAMLMark, reporter: Reporter
  ) -> [String: String] {
    useCount += 1
    let variables = answers.answer(path, shown: shown, at: mark, reporter: reporter) {
      () throws(FileProblem) in
      // Whether its owner is the job's user is asked for each job.
      let contents = try files.read(path, as: .environmentFileOfAnyone, bound: Self.sizeBound)
      owners[path] = contents.owner
      let source = SourceText(file: shown, bytes: contents.bytes)
      // Diagnostics of a reload are logged, and what stands in an environment never is.
      let reporter = Reporter(source, showsLines: false)
      let values = EnvironmentText(source, reporter: reporter).values
      log.add(reporter.log)
      return (values, contents.identity)
    }
    return variables ?? [:]
  }

  /// The user who owns a file that has been read; nil for any other.
  func owner(of path: String) -> UInt32? { owners[path] }
}

extension FileTrust {
  /// The row of an `env_file` of which it is not yet known who may own it.
  fileprivate static let environmentFileOfAnyone: FileTrust = {
    var row = FileTrust.environmentFile
    row.owners = [.anyone]
    return row
  }()
}
