import TaktCore

/// Whose value is being read when nothing of the file may be in a message. What is said instead is
/// made of constants and of names that takt itself gives.
enum Concealment: Hashable {
  /// The value of `secrets`.
  case secrets
  /// A parameter that its action declares secret.
  case parameter(String)
  /// A job that a line of a file has made; where the line is, for people.
  case line(String)

  /// What is wrong, as far as it may be said.
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
