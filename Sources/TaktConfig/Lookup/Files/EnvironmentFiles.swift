import TaktSystem

/// The environment files of one load, each read once however many jobs name it.
final class EnvironmentFiles {
  private static let sizeBound = 1 << 20

  private let files: LoadFiles
  private var owners: [String: UInt32] = [:]
  private(set) var answers = FileAnswers<[String: String]>()
  private(set) var log = ProblemLog()
  /// The number of requests for variables.
  private(set) var useCount = 0

  init(_ files: LoadFiles) { self.files = files }

  /// The variables of the file at an absolute path; empty for a wrong one, which is reported: in
  /// the file itself, or at `mark` if it cannot be read at all.
  func variables(
    of path: String, shown: String, at mark: YAMLMark, reporter: Reporter
  ) -> [String: String] {
    useCount += 1
    let variables = answers.answer(path, shown: shown, at: mark, reporter: reporter) {
      () throws(FileProblem) in
      // Its owner is checked against the job's user for each job.
      let contents = try files.read(path, as: .environmentFileOfAnyone, bound: Self.sizeBound)
      owners[path] = contents.owner
      let source = SourceText(file: shown, bytes: contents.bytes)
      // Diagnostics of a reload are logged, and the content of an environment never is.
      let reporter = Reporter(source, showsLines: false)
      let values = EnvironmentText(source, reporter: reporter).values
      log.add(reporter.log)
      return (values, contents.identity)
    }
    return variables ?? [:]
  }

  /// The owner of a file that has been read; nil for any other.
  func owner(of path: String) -> UInt32? { owners[path] }
}

extension FileTrust {
  /// The row of an `env_file` whose allowed owners are not known yet.
  fileprivate static let environmentFileOfAnyone: FileTrust = {
    var row = FileTrust.environmentFile
    row.owners = [.anyone]
    return row
  }()
}
