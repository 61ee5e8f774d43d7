import Glibc
import TaktCore

extension Spawn.Failure {
  /// The failure with what it is about, as far as the job says it.
  func named(program: String, directory: String) -> Self {
    var failure = self
    switch stage {
    case .directory: failure.subject = "'\(directory)'"
    case .exec: failure.subject = "'\(program)'"
    case .process, .secret, .user, .limits: break
    }
    return failure
  }

  /// One sentence for people.
  var sentence: String {
    if let fault { return fault.sentence }
    if stage == .process, number == ETIMEDOUT {
      return "what it needs before it can start, such as its secrets, could not be read in time: "
        + "look for a mount that does not answer"
    }
    let what =
      switch stage {
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
