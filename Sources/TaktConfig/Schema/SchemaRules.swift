/// How keys fit together, as far as JSON Schema can say it.
enum SchemaRules {
  /// A job is due by something, and does one thing.
  static let job: JSONValue = [
    "anyOf": [
      ["required": [.string(Key.every)]], ["required": [.string(Key.at)]],
      ["required": [.string(Key.on)]], ["required": [.string(Key.cron)]],
      ["required": [.string(Key.calendar)]], ["required": [.string(Key.after)]],
      ["required": [.string(Key.watch)]],
    ],
    "oneOf": [
      ["required": [.string(Key.run)]], ["required": [.string(Key.use)]],
      ["required": [.string(Key.steps)]],
    ],
    "dependentRequired": .object(
      [Key.first, Key.from, Key.align, Key.phase].map {
        JSONValue.Member($0, [.string(Key.every)])
      }),
    "dependentSchemas": .object([
      JSONValue.Member(
        Key.align,
        [
          "properties": .object([
            JSONValue.Member(Key.first, false), JSONValue.Member(Key.from, ["const": "start"]),
          ])
        ])
    ]),
  ]

  /// What the keys of a mapping inside a job ask of one another.
  static func rules(of part: KeyTable.Part) -> JSONValue {
    switch part.path {
    case Key.steps, "hook":
      [
        "oneOf": [["required": [.string(Key.run)]], ["required": [.string(Key.use)]]],
        "$ref": "#/$defs/action",
      ]
    case Key.secrets:
      ["oneOf": [["required": [.string(Key.file)]], ["required": [.string(Key.environment)]]]]
    case "\(Key.output).\(Key.file)", Key.watch: ["required": [.string(Key.path)]]
    case Key.after: ["required": [.string(Key.job)]]
    case Key.spread: ["required": [.string(Key.over)]]
    default: [:]
    }
  }
}
