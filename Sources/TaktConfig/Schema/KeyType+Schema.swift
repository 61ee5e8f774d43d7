import TaktCore

extension KeyType {
  private static let durationUnit = "(ms|s|m|h|d|w)"
  private static let duration = "^([0-9]+(\\.[0-9]+)?\(durationUnit))+$"
  /// A duration of zero: `0s`, `0h0m`.
  private static let noDuration = "^(0+(\\.0+)?\(durationUnit))+$"
  static let namePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
  static let variablePattern = "^(?!TAKT_)[A-Za-z_][A-Za-z0-9_]*$"
  /// YAML's texts, numbers and booleans, of which takt uses the text.
  private static let anyScalar: JSONValue = ["string", "number", "boolean"]

  /// The JSON Schema of a value without inner values; nil for lists, mappings and choices of types.
  var scalarSchema: JSONValue? {
    switch self {
    case .text(let allowsEmpty):
      allowsEmpty ? ["type": Self.anyScalar] : ["type": Self.anyScalar, "pattern": "\\S"]
    case .pattern: ["type": Self.anyScalar, "pattern": "\\S", "maxLength": 1024]
    case .path: ["type": Self.anyScalar, "pattern": "^(?!~)(.|\\n)*\\S"]
    case .zone: ["type": "string", "pattern": "\\S"]
    case .action: ["type": "string"]
    case .boolean: ["type": "boolean"]
    case .integer(let range):
      [
        "type": "integer", "minimum": .integer(range.lowerBound),
        "maximum": .integer(range.upperBound),
      ]
    case .number(let range):
      [
        "type": "number", "minimum": .number(range.lowerBound),
        "maximum": .number(range.upperBound),
      ]
    case .duration(let least, _): Self.duration(isZeroAllowed: least == .zero)
    case .wholeSeconds: Self.duration(isZeroAllowed: false)
    case .size: ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?([KMGT]i?)?B$"]
    case .rate: ["type": "string", "pattern": "^0*[1-9][0-9]*/[smh]$"]
    case .umask:
      [
        "anyOf": [
          ["type": "string", "pattern": "^0?[0-7]{1,3}$"],
          ["type": "integer", "minimum": 0, "maximum": 777],
        ]
      ]
    case .name: ["type": Self.anyScalar, "pattern": .string(Self.namePattern)]
    case .variable: ["type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"]
    case .percent: ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$"]
    case .instant:
      [
        "type": "string",
        "pattern":
          "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{3})?)?(Z|[+-][0-9]{2}:[0-9]{2})?$",
      ]
    case .choice(let words): ["enum": .array(words.flatMap(Self.values(of:)))]
    case .quota: ["type": "string", "pattern": "^0*[1-9][0-9]{0,5}%$"]
    case .inputOutputPriority:
      ["type": "string", "pattern": "^(idle|(best-effort|realtime)(:[0-7])?)$"]
    case .occasion:
      [
        "type": "string",
        "pattern": "^(every|first|recovered|output|streak *>= *0*[1-9][0-9]{0,6})$",
      ]
    case .anything: true
    case .list, .oneOrMore, .oneOf, .map, .object: nil
    }
  }

  private static func duration(isZeroAllowed: Bool) -> JSONValue {
    let schema: JSONValue = ["type": "string", "pattern": .string(duration)]
    return isZeroAllowed ? schema : schema.adding(["not": ["pattern": .string(noDuration)]])
  }

  /// YAML reads two words as booleans.
  private static func values(of word: String) -> [JSONValue] {
    switch word {
    case "true", "false": [.boolean(word == "true"), .string(word)]
    default: [.string(word)]
    }
  }
}

extension KeyNameRule {
  /// The rule for the names; nil for any name.
  var namesSchema: JSONValue? {
    switch self {
    case .job, .group, .label, .calendar: ["pattern": .string(KeyType.namePattern)]
    case .environment: ["pattern": .string(KeyType.variablePattern)]
    case .text: ["minLength": 1]
    case .parameter: nil
    }
  }
}

/// Relations between keys, as far as JSON Schema can express them.
enum SchemaRules {
  /// A job has a trigger, and exactly one action.
  static let job: JSONValue = [
    "anyOf": needs(.every, .at, .on, .cron, .calendar, .rrule, .after, .watch),
    "oneOf": needs(.run, .use, .steps),
    "dependentRequired": .object(
      [JobKey.first, .from, .align, .anchor, .phase].map {
        JSONValue.Member($0.name, [.string(JobKey.every.name)])
      } + [JSONValue.Member(JobKey.memberName.name, [.string(JobKey.forEach.name)])]),
    "dependentSchemas": .object([
      JSONValue.Member(
        JobKey.anchor.name,
        [
          "properties": .object(
            [JobKey.first, .from, .align, .phase].map { JSONValue.Member($0.name, false) })
        ]),
      JSONValue.Member(
        JobKey.align.name,
        [
          "properties": .object([
            JSONValue.Member(JobKey.first.name, false),
            JSONValue.Member(JobKey.from.name, ["const": "start"]),
          ])
        ]),
    ]),
  ]

  static func rules(of part: KeyTable.Part) -> JSONValue {
    switch part.path {
    case JobKey.onlyIf.name:
      [
        "oneOf": needs(.run, .use), "$ref": "#/$defs/action",
        "dependentRequired": .object([JSONValue.Member(JobKey.every.name, [.string(Key.wait)])]),
      ]
    case JobKey.steps.name, "hook.\(Key.add)":
      ["oneOf": needs(.run, .use), "$ref": "#/$defs/action"]
    case "hook":
      [
        "oneOf": [needs(JobKey.run.name), needs(JobKey.use.name), needs(Key.add)],
        "$ref": "#/$defs/action",
      ]
    case JobKey.secrets.name: ["oneOf": [needs(Key.file), needs(Key.environment)]]
    case "\(JobKey.output).\(Key.file)", JobKey.watch.name: needs(Key.path)
    case JobKey.after.name:
      [
        "oneOf": [needs(Key.job), needs(Key.all)],
        "dependentRequired": .object([JSONValue.Member(Key.within, [.string(Key.all)])]),
      ]
    case "\(JobKey.after).\(Key.all)": needs(Key.job)
    case JobKey.spread.name: needs(Key.over)
    case JobKey.workingDay.name: needs(Key.day)
    case Key.calendars:
      ["anyOf": [needs(Key.dates), needs(Key.file), needs(Key.expressions)]]
    case "\(Key.scheduler).\(Key.cluster)": needs(Key.engine)
    case "\(Key.scheduler).\(Key.concurrency)": needs(Key.maximum)
    default: [:]
    }
  }

  private static func needs(_ keys: JobKey...) -> JSONValue {
    .array(keys.map { needs($0.name) })
  }

  private static func needs(_ key: String) -> JSONValue { ["required": [.string(key)]] }
}
