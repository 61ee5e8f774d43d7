import TaktCore

extension KeyTable {
  /// The JSON Schema (draft 2020-12) of a file of tests, with a line end after it.
  ///
  /// It does not know the jobs: only takt detects an unknown name.
  package static func testSchema(version: String? = nil) -> String {
    let name: JSONValue = version.map { ["$id": .string("urn:takt:tests-file:\($0)")] } ?? [:]
    let schema = JSONValue.object([
      JSONValue.Member("$schema", "https://json-schema.org/draft/2020-12/schema")
    ]).adding(name).adding([
      "title": "takt tests file",
      "description": "Tests of a jobs file of takt: jobs.test.yaml.",
      "type": "object",
      "properties": .object(TestSchema.members(testFile)),
      "patternProperties": ["^\(Key.extensionPrefix)": true],
      "additionalProperties": false,
      "required": [.string(TestKey.tests)],
      "$defs": [
        "test": TestSchema.object(test).adding([
          "required": [.string(TestKey.from), .string(TestKey.expect)]
        ]),
        "runs": TestSchema.object(testRuns),
        "jobs": TestSchema.checks(TestCheckRow.ofJobs),
        "slot": TestSchema.checks(TestCheckRow.ofSlot),
        "count": [
          "anyOf": [
            ["type": "integer", "minimum": 0],
            [
              "type": "string",
              "pattern": "^([<>]=?|==?)? *[0-9]+$|^[0-9]+ *\\.\\. *[0-9]+$",
            ],
          ]
        ],
        "duration": ["type": "string", "pattern": "[0-9](ms|s|m|h|d|w)$"],
        "times": ["anyOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]],
        "names": [
          "anyOf": [["type": "string"], ["type": "array", "items": ["type": "string"]]]
        ],
      ],
    ])
    return schema.text + "\n"
  }
}

private enum TestSchema {
  static func object(_ rows: KeyRows) -> JSONValue {
    ["type": "object", "properties": .object(members(rows)), "additionalProperties": false]
  }

  static func members(_ rows: KeyRows) -> [JSONValue.Member] {
    rows.map { row in
      let words: JSONValue = ["description": .string(row.summary)]
      return JSONValue.Member(row.name, words.adding(special(row) ?? schema(of: row.type)))
    }
  }

  /// Rules beyond the types of the table.
  private static func special(_ row: KeyEntry) -> JSONValue? {
    switch row.name {
    case TestKey.tests:
      ["type": "object", "additionalProperties": ["$ref": "#/$defs/test"]]
    case TestKey.expect:
      ["anyOf": [expectations, ["type": "array", "items": expectations, "minItems": 1]]]
    case TestKey.runs: ["type": "object", "additionalProperties": ["$ref": "#/$defs/runs"]]
    default: nil
    }
  }

  /// By job, and by slot: `backup at 02:30`.
  private static let expectations: JSONValue = [
    "type": "object",
    "patternProperties": [" at ": ["$ref": "#/$defs/slot"]],
    "additionalProperties": ["$ref": "#/$defs/jobs"],
  ]

  private static func schema(of type: KeyType) -> JSONValue {
    switch type {
    case .oneOrMore(let item):
      let one = schema(of: item)
      return ["anyOf": [one, ["type": "array", "items": one, "minItems": 1]]]
    case .oneOf(let types): return ["anyOf": .array(types.map(schema))]
    default: return type.scalarSchema ?? true
    }
  }

  static func checks(_ rows: [TestCheckRow]) -> JSONValue {
    [
      "type": "object", "additionalProperties": false, "minProperties": 1,
      "properties": .object(
        rows.map { row in
          let words: JSONValue = ["description": .string(row.summary)]
          return JSONValue.Member(row.name, words.adding(schema(of: row)))
        }),
    ]
  }

  private static func schema(of row: TestCheckRow) -> JSONValue {
    switch row.kind {
    case .count: return ["$ref": "#/$defs/count"]
    case .duration: return ["$ref": "#/$defs/duration"]
    case .times: return ["$ref": "#/$defs/times"]
    case .jobs: return ["$ref": "#/$defs/names"]
    case .time: return ["type": "string"]
    case .outcome: return ["enum": .array(Outcome.allCases.map { .string($0.rawValue) })]
    case .verdict:
      let names = (VerdictCounts.names + ["none"]).joined(separator: "|")
      return ["type": "string", "pattern": .string("^(\(names))(\\([a-z_]+\\))?$")]
    case .slots:
      let times: JSONValue = ["type": "array", "items": ["type": "string"], "minItems": 1]
      guard let kind = Verdict.Kind(rawValue: row.name), !kind.reasons.isEmpty else {
        return ["anyOf": [["$ref": "#/$defs/count"], times]]
      }
      let reasons: JSONValue = [
        "type": "object", "additionalProperties": false,
        "properties": .object(
          kind.reasons.map { JSONValue.Member($0, ["$ref": "#/$defs/count"]) }),
      ]
      return ["anyOf": [["$ref": "#/$defs/count"], times, reasons]]
    }
  }
}
