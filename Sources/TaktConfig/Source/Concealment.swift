import TaktCore

/// Whose value is being read when nothing of the file may be in a message. What is said instead is
/// made of constants and of names that takt itself gives.
enum Concealment {
  /// The value of `secrets`.
  case secrets
  /// A parameter that its action declares secret.
  case parameter(String)

  /// What is wrong, as far as it may be said.
  func message(of code: Diagnostic.Code) -> String {
    switch (self, code) {
    case (.parameter(let name), _): "the value of '\(name)' is not valid"
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
    case (.secrets, .duplicateKey): "remove one of them"
    case (.secrets, .badName): "use letters, digits and '_', not starting with a digit or TAKT_"
    case (.secrets, .badTag): "remove it"
    case (.secrets, .unknownKey), (.secrets, .misplacedKey): "the keys are 'file', 'env' and 'as'"
    case (.secrets, _): "write NAME: {file: PATH} or NAME: {env: VARIABLE}"
    }
  }
}
