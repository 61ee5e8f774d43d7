import TaktCore

/// The parts of a job that a label can set: keys of jobs, and parameters of the process in the
/// container.
///
/// Anything outside this table is refused, so that labels get a new key of jobs only after a
/// review. Rules and calendars that never meet take minutes to search, while no other label and no
/// reload is read: they belong in the jobs file.
enum LabelKey {
  enum Form {
    /// A text, under the path of keys in a job.
    case text([String])
    /// A number or a word that the loader reads without quotes.
    case word([String])
    case words([String])
    /// A text for the shell of the container, or a list in JSON.
    case command
    /// A parameter of the process in the container.
    case parameter(String)
  }

  static let run = "run"
  static let cron = "cron"
  static let every = "every"
  static let days = "days"
  static let timezone = "timezone"
  static let user = "user"
  /// Precedes the name of a variable.
  static let variablePrefix = "env."

  /// Nil for a key that labels do not have.
  static func form(of key: String) -> Form? { forms[key] }

  static var names: [String] { forms.keys.sorted() }

  private static let forms: [String: Form] = {
    var forms: [String: Form] = [
      run: .command, user: .parameter("user"), "workdir": .parameter("workdir"),
      "tags": .words([JobKey.tags.name]), "missed": .text(["missed", "policy"]),
      "retry": .word(["retry", "attempts"]), "enabled": .word(["enabled"]),
      "limit": .word(["limit"]),
    ]
    let texts = [
      cron, every, days, timezone, "at", "on", "align", "anchor", "phase",
      "not_before", "until", "spread", "jitter", "leeway",
      "overlap", "timeout", "late_tolerance", "expected", "delivery", "machines", "on_partition",
      "on_lease_lost", "on_removed", "description", "display_name",
    ]
    for name in texts { forms[name] = .text([name]) }
    for name in ["missed.policy", "missed.within", "retry.delay", "kill.grace"] {
      forms[name] = .text(name.split(separator: ".").map(String.init))
    }
    for name in ["dst.gap", "dst.overlap", "output.log", "output.keep", "output.rate"] {
      forms[name] = .text(name.split(separator: ".").map(String.init))
    }
    for name in ["missed.max", "retry.attempts"] {
      forms[name] = .word(name.split(separator: ".").map(String.init))
    }
    return forms
  }()
}
