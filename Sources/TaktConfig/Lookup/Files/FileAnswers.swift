import TaktCore

/// The contents of files of one kind in a load, each read once, with their identities.
struct FileAnswers<Answer> {
  private var answers: [String: Result<Answer, FileProblem>] = [:]
  /// The absolute paths of all that were read or tried, in order.
  private(set) var paths: [String] = []
  private(set) var identities: [String: FileIdentity] = [:]
  /// The paths for diagnostics in these files, in order.
  private(set) var shownPaths: [String] = []

  var hasFailed: Bool {
    answers.values.contains { if case .failure = $0 { true } else { false } }
  }

  /// The content of the file at an absolute path; nil if it cannot be read, which is reported at
  /// `mark`.
  ///
  /// - Parameter read: called the first time.
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
