import Glibc
import TaktCore

/// Why nothing is started.
package struct StartFailure: Error {
  var stage: StartStage
  var number: Int32
  /// What of the stage it is about, for people; empty when nothing more is known.
  var subject = ""
  /// What the attempt has come to, and a sentence for people, where it is not the system that
  /// refuses; nil where it is.
  var refusal: (result: AttemptResult, sentence: String)?

  var result: AttemptResult { refusal?.result ?? .notStarted(stage, errno: number) }

  /// The failure with what it is about, as far as the command says it.
  func named(program: String, directory: String) -> Self {
    var failure = self
    switch stage {
    case .directory: failure.subject = "'\(directory)'"
    case .exec: failure.subject = "'\(program)'"
    case .process, .secret, .user, .limits, .stuck: break
    }
    return failure
  }

  var sentence: String {
    if let refusal { return refusal.sentence }
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

/// A call to the system that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: String
  package let number: Int32

  /// The failure of `call`, with the number that `errno` has now.
  package init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  /// `open: No such file or directory`
  package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
