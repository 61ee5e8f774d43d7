import Glibc
import TaktCore

extension Spawn.Failure {
  /// The failure with what it is about, as far as the job says it.
  func named(program: String, directory: String) -> Self {
    var failure = self
    switch stage {
    case .directory: failure.subject = "'\(directory)'"
    case .exec: failure.subject = "'\(program)'"
    case .process, .secret, .user, .limits, .stuck: break
    }
    return failure
  }

  /// One sentence for people.
  var sentence: String {
    if let fault { return fault.sentence }
    if stage == .stuck {
      return subject.isEmpty
        ? "The program has not started: its folder, program or interpreter is on a file system that "
          + "does not answer, or somebody keeps the process stopped."
        : "Not started, because \(subject) of this job still hangs: its folder, program or "
          + "interpreter is on a file system that does not answer."
    }
    if stage == .process, number == ETIMEDOUT {
      return "what it needs before it can start, such as its secrets, could not be read in time: "
        + "look for a mount that does not answer"
    }
    let what =
      switch stage {
      case .stuck: "the program has not started"
      case .process: "a process cannot be made"
      case .secret: "the secret \(subject) cannot be had"
      case .user: subject.isEmpty ? "the user cannot be taken on" : "there is no user \(subject)"
      case .limits: "a limit cannot be set"
      case .directory: "the folder \(subject) cannot be entered"
      case .exec: "the program \(subject) cannot be executed"
      }
    return "\(what): \(String(cString: strerror(number)))"
  }
}
