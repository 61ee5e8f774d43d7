import Glibc
import TaktCore
import TaktSystem

/// The reason why a process was not started.
package struct StartFailure: Error {
  var stage: StartStage
  var number: Int32
  /// The subject of the stage, for people; empty if unknown.
  var subject = ""
  /// The cause in words, if more is known than the system's error.
  var cause: String?
  /// The result of the attempt, and a sentence for people, if takt refuses the start; nil if the
  /// system does.
  var refusal: (result: AttemptResult, sentence: String)?

  var result: AttemptResult { refusal?.result ?? .notStarted(stage, errno: number) }

  /// The failure with its subject, as far as the command tells it.
  ///
  /// - Parameter candidates: the possible paths of the program, in order.
  func named(program: String, at candidates: [String], directory: String) -> Self {
    var failure = self
    switch stage {
    case .directory: failure.subject = "'\(directory)'"
    case .exec:
      failure.subject = "'\(program)'"
      // The system has just read the file, so its file system answers.
      guard number == ENOENT || number == ENOEXEC else { break }
      let flaw = candidates.lazy.compactMap { path in
        ProgramFlaw.of(
          fileAt: path.hasPrefix("/") ? path : directory + "/" + path, startedIn: directory)
      }.first
      failure.cause = flaw.map { "it \($0.words); \($0.hint)" }
    case .process, .secret, .user, .limits, .nice, .inputOutput, .stuck: break
    }
    return failure
  }

  var sentence: String {
    if let refusal { return refusal.sentence }
    if stage == .stuck {
      return subject.isEmpty
        ? "The program has not started. Its folder, program or interpreter is on a file system that "
          + "does not respond, or the process is being kept stopped."
        : "Not started, because \(subject) of this job still hangs. Its folder, program or "
          + "interpreter is on a file system that does not respond."
    }
    if stage == .process, number == ETIMEDOUT {
      return "its secrets, or other files that it needs to start, could not be read in time; "
        + "check for a hung mount"
    }
    let what =
      switch stage {
      case .stuck: "the program has not started"
      case .process: "cannot create a process"
      case .secret: "the secret \(subject) is not available"
      case .user:
        subject.isEmpty ? "cannot change to the job's user" : "there is no user \(subject)"
      case .limits:
        // Without root, limits can only be lowered.
        subject.isEmpty && number == EPERM
          ? "cannot set a limit that is higher than takt's own (see 'ulimit -H -a')"
          : subject.isEmpty ? "cannot set a limit" : "cannot set the limits \(subject)"
      case .nice: "cannot set the nice value, which needs root or CAP_SYS_NICE"
      case .inputOutput: "cannot set the I/O priority, which needs root or CAP_SYS_NICE"
      case .directory: "cannot enter the folder \(subject)"
      case .exec: "cannot execute the program \(subject)"
      }
    return "\(what): \(cause ?? SystemError.text(number))"
  }
}
