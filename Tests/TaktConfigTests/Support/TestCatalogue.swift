import TaktCore

/// `log`, as takt has it, and `mail`, which has a parameter that must be given and one of any text.
struct TestCatalogue: ActionCatalogue {
  var actionNames: [String] { ["log", "mail"] }

  func parameters(of action: String) -> [ParameterSchema]? {
    switch action {
    case "log":
      [
        ParameterSchema("message", .string, default: .string("tick"), summary: "What is logged."),
        ParameterSchema(
          "level", .choice(["debug", "info", "error"]), default: .string("info"),
          summary: "How loud."),
      ]
    case "mail":
      [
        ParameterSchema("to", .string, summary: "Who gets it."),
        ParameterSchema("subject", .string, summary: "What it is about."),
      ]
    default: nil
    }
  }
}
