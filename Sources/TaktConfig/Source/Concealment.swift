import TaktCore

/// The reason why no text of the file may be in a message. The words in its place consist of
/// constants and of takt's own names.
enum Concealment: Hashable {
  case secrets
  /// A parameter that its action declares secret.
  case parameter(String)
  /// A job made from a line of a file, with the line's place for people.
  case line(String)

  /// The message without any text of the file.
  func message(of code: Diagnostic.Code) -> String {
    switch (self, code) {
    case (.parameter(let name), _): "the value of '\(name)' is not valid"
    case (.line(let place), .badName): "\(place) does not make a valid job name"
    case (.line(let place), .duplicateJob): "\(place) makes a job name that another job has"
    case (.line(let place), .unknownJob): "\(place) names a job that does not exist"
    case (.line(let place), .followingCycle): "circular dependency of jobs, made by \(place)"
    case (.line(let place), .badPlaceholder):
      "\(place) has characters that a shell may read as its own"
    case (.line(let place), _): "\(place) makes a job that is not right here (\(code.rawValue))"
    case (.secrets, .wrongType): "this is not the source of a secret"
    case (.secrets, .unknownKey), (.secrets, .misplacedKey): "unknown key under 'secrets'"
    case (.secrets, .duplicateKey): "duplicate key under 'secrets'"
    case (.secrets, .badName): "invalid variable name under 'secrets'"
    case (.secrets, .badTag): "unknown tag under 'secrets'"
    case (.secrets, .unknownAlias): "unknown alias under 'secrets'"
    case (.secrets, _): "invalid value under 'secrets'"
    }
  }

  func hint(of code: Diagnostic.Code) -> String? {
    switch (self, code) {
    case (.parameter, .badPlaceholder):
      "write '{{secret.NAME}}' for a secret of the job, or '{{{{' for a literal '{{'"
    case (.parameter, _): nil
    case (.line, .badName), (.line, .duplicateJob):
      "correct the line, or set '\(JobKey.memberName)'"
    case (.line, .badPlaceholder):
      "write it outside quotes, or put it under '\(JobKey.environment)' and use the variable"
    case (.line, _): "correct the line; what it says is not shown"
    case (.secrets, .duplicateKey): "remove one of them"
    case (.secrets, .badName): "use letters, digits and '_', not starting with a digit or TAKT_"
    case (.secrets, .badTag): "remove it"
    case (.secrets, .unknownKey), (.secrets, .misplacedKey): "the keys are 'file', 'env' and 'as'"
    case (.secrets, _): "write NAME: {file: PATH} or NAME: {env: VARIABLE}"
    }
  }
}
