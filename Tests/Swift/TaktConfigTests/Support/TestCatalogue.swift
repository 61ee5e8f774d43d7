import TaktCore

/// `log`, as in takt, `mail`, which has two required parameters, `all`, which has an optional one
/// of each kind, `login`, which has a secret one, `touch`, which uses takt's own rights, `fetch`,
/// which has a timeout of its own, `http`, whose body may be JSON, `container`, which has some of
/// takt's, and `pipe`, which uses takt's rights for a command if it is given one.
struct TestCatalogue: ActionCatalogue {
  var actionNames: [String] { ["log", "mail", "notify", "ping", "all", "touch", "pipe"] }

  func parameters(of action: String) -> [ParameterSchema]? { Self.schemas[action] }

  func traits(of action: String, with parameters: Parameters) -> ActionTraits {
    switch action {
    case "touch": .usesOwnRights
    case "pipe": parameters["to"] == nil ? [] : [.usesOwnRights, .isCommand]
    default: []
    }
  }

  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    if action == "pipe", parameters["fast"] != nil { return [ParameterProblem("fast", "idle")] }
    if action == "mail", parameters["to"] == .string("root") {
      return [ParameterProblem("to", "'root' has no host", isDoubt: true)]
    }
    if action == "http", case .string(let url) = parameters["url"], !url.hasPrefix("http") {
      return [ParameterProblem("url", "the URL must start with http:// or https://")]
    }
    guard action == "all", parameters["text"] == .string("both") else { return [] }
    return [ParameterProblem("word", "these two"), ParameterProblem(nil, "something is missing")]
  }

  private static let kinds: [(String, ParameterSchema.Kind)] = [
    ("text", .string), ("word", .choice(["a", "b"])), ("path", .path), ("count", .integer(1...9)),
    ("number", .number(0...1)), ("flag", .boolean), ("wait", .duration(least: .seconds(1))),
    ("size", .size), ("share", .percent), ("texts", .list(.string)), ("paths", .list(.path)),
    ("headers", .map(.string)), ("lists", .map(.list(.integer(0...9)))),
    ("maps", .list(.map(.boolean))),
  ]

  private static let all = kinds.map { name, kind in
    ParameterSchema(name, kind, reaches: .nothing, isRequired: false, summary: "One of its kind.")
  }

  private static let schemas: [String: [ParameterSchema]] = [
    "log": [
      ParameterSchema(
        "message", .string, reaches: .nothing, default: .string("tick"),
        summary: "What is logged."),
      ParameterSchema(
        "level", .choice(["debug", "info", "notice", "warning", "error"]), reaches: .nothing,
        default: .string("info"),
        summary: "How loud."),
    ],
    "mail": [
      ParameterSchema("to", .string, reaches: .nothing, summary: "Who gets it."),
      ParameterSchema("subject", .string, reaches: .nothing, summary: "What it is about."),
    ],
    "all": all,
    "login": [
      ParameterSchema(
        "password", .string, reaches: .header, isSecret: true, summary: "What nobody may know.")
    ],
    "touch": [],
    "ping": ["url", "dsn", "monitor"].map {
      ParameterSchema(
        $0, .url, reaches: .address, isRequired: false, isSecret: true, summary: "The check.")
    },
    "notify": [
      ParameterSchema(
        "to", .choice(["slack", "ntfy"]), reaches: .nothing, summary: "The service."),
      ParameterSchema("url", .string, reaches: .address, isSecret: true, summary: "Where."),
    ],
    "fetch": [
      ParameterSchema("url", .url, reaches: .address, summary: "Where."),
      ParameterSchema(
        "timeout", .duration(least: .milliseconds(1)), reaches: .nothing, isRequired: false,
        summary: "How long."),
    ],
    "http": [
      ParameterSchema("url", .url, reaches: .address, summary: "Where."),
      ParameterSchema(
        "headers", .map(.string), reaches: .header, isRequired: false, summary: "What besides."),
      ParameterSchema(
        "body", .string, reaches: .nothing, isRequired: false, summary: "What is sent."),
    ],
    "prune": [
      ParameterSchema("root", .path, reaches: .path, summary: "Where."),
      ParameterSchema("pattern", .string, reaches: .file, isRequired: false, summary: "What."),
      ParameterSchema(
        "keep", .integer(0...1000), reaches: .nothing, isRequired: false, summary: "How many."),
      ParameterSchema(
        "dry_run", .boolean, reaches: .nothing, default: .boolean(false), summary: "Whether."),
    ],
    "container": [
      ParameterSchema("image", .string, reaches: .program, isRequired: false, summary: "An image."),
      ParameterSchema("exec", .string, reaches: .program, isRequired: false, summary: "Where."),
      ParameterSchema(
        "command", .list(.string), reaches: .program, isRequired: false, summary: "What."),
      ParameterSchema(
        "env", .map(.string), reaches: .program, isRequired: false, summary: "Variables."),
      ParameterSchema("workdir", .string, reaches: .path, isRequired: false, summary: "A folder."),
      ParameterSchema("user", .string, reaches: .user, isRequired: false, summary: "Who."),
      ParameterSchema(
        "mounts", .list(.string), reaches: .file, isRequired: false, summary: "Of the host."),
      ParameterSchema("socket", .path, reaches: .address, isRequired: false, summary: "Whom."),
    ],
    "pipe": [
      ParameterSchema("to", .string, reaches: .nothing, isRequired: false, summary: "The command."),
      ParameterSchema(
        "fast", .boolean, reaches: .nothing, default: .boolean(true), summary: "Given or not."),
    ],
  ]
}
