import TaktCore
import TaktSystem

/// The environment files of one load, each read once however many jobs name it.
final class EnvironmentFiles {
  /// The most bytes that one may have.
  private static let sizeBound = 1 << 20

  private let files: LoadFiles
  private var owners: [String: UInt32] = [:]
  private var answers: [String: Result<[String: String], FileProblem>] = [:]
  /// The absolute paths of all that were read or tried, in order.
  private(set) var paths: [String] = []
  private(set) var identities: [String: FileIdentity] = [:]
  /// The paths by which mistakes in them are told, in order.
  private(set) var shownPaths: [String] = []
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
    switch answer(path, shown: shown) {
    case .success(let variables): return variables
    case .failure(let problem):
      let (code, message, hint) = problem.sentence
      reporter.report(code, at: mark, "'\(shown.shortened)': \(message)", hint: hint)
      return [:]
    }
  }

  /// The user who owns a file that has been read; nil for any other.
  func owner(of path: String) -> UInt32? { owners[path] }

  private func answer(_ path: String, shown: String) -> Result<[String: String], FileProblem> {
    if let answer = answers[path] { return answer }
    paths.append(path)
    shownPaths.append(shown)
    let answer: Result<[String: String], FileProblem>
    do {
      // Whether its owner is the job's user is asked for each job.
      let contents = try files.read(path, as: .environmentFileOfAnyone, bound: Self.sizeBound)
      owners[path] = contents.owner
      identities[path] = contents.identity
      let source = SourceText(file: shown, bytes: contents.bytes)
      // Diagnostics of a reload are logged, and what stands in an environment never is.
      let reporter = Reporter(source, showsLines: false)
      answer = .success(EnvironmentText(source, reporter: reporter).values)
      log.add(reporter.log)
    } catch {
      answer = .failure(error)
    }
    answers[path] = answer
    return answer
  }
}

extension FileTrust {
  /// The row of an `env_file` of which it is not yet known who may own it.
  fileprivate static let environmentFileOfAnyone: FileTrust = {
    var row = FileTrust.environmentFile
    row.owners = [.anyone]
    return row
  }()
}
