import TaktCore
import TaktSystem

/// What the files of one kind say that a load reads, each read once, and which files they were.
struct FileAnswers<Answer> {
  private var answers: [String: Result<Answer, FileProblem>] = [:]
  /// The absolute paths of all that were read or tried, in order.
  private(set) var paths: [String] = []
  private(set) var identities: [String: FileIdentity] = [:]
  /// The paths by which mistakes in them are told, in order.
  private(set) var shownPaths: [String] = []

  /// Whether one could not be read.
  var hasFailed: Bool {
    answers.values.contains { if case .failure = $0 { true } else { false } }
  }

  /// What the file at an absolute path says; nil where it cannot be read, which is then reported at
  /// `mark`.
  ///
  /// - Parameter read: reads it, the first time.
  mutating func answer(
    _ path: String, shown: String, at mark: YAMLMark, reporter: Reporter,
    _ read: () throws(FileProblem) -> (Answer, FileIdentity)
  ) -> Answer? {
    let answer: Result<Answer, FileProblem>
    if let known = answers[path] {
      answer = known
    } else {
      paths.append(path)
      shownPaths.append(shown)
      do throws(FileProblem) {
        let (said, identity) = try read()
        identities[path] = identity
        answer = .success(said)
      } catch {
        answer = .failure(error)
      }
      answers[path] = answer
    }
    switch answer {
    case .success(let said): return said
    case .failure(let problem):
      let (code, message, hint) = problem.sentence
      reporter.report(code, at: mark, "'\(shown.shortened)': \(message)", hint: hint)
      return nil
    }
  }
}
