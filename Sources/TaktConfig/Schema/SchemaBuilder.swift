package import TaktCore

/// Makes the JSON Schema of the jobs file from the key table and a catalogue.
struct SchemaBuilder {
  /// The part of the file: in a job, null removes the value of `defaults`.
  enum Scope: String {
    case file, defaults, job
  }

  let catalogue: any ActionCatalogue
  /// takt's version, for the schema's name; nil for a schema without a name.
  var version: String?

  private var actionNames: [String] { catalogue.actionNames.sorted() }

  var schema: JSONValue {
    var properties = members(of: KeyTable.root.filter { $0.name != extensionKey }, in: .file)
    // A section may be empty, with its keys commented out. `anyOf` would allow that too, but then
    // validators report every mistake in a job at `jobs`.
    for index in properties.indices
    where [Key.jobs, Key.calendars].contains(properties[index].name) {
      properties[index].value = Self.orEmpty(properties[index].value)
    }
    let name: JSONValue = version.map { ["$id": .string("urn:takt:jobs-file:\($0)")] } ?? [:]
    return JSONValue.object([
      JSONValue.Member("$schema", "https://json-schema.org/draft/2020-12/schema")
    ]).adding(name).adding([
      "title": "takt jobs file",
      "description": "A jobs file of takt: jobs.yaml, or a file that it includes.",
      "type": "object",
      "properties": .object(properties),
      "patternProperties": ["^\(Key.extensionPrefix)": true],
      "additionalProperties": false,
      "anyOf": [["required": [.string(Key.jobs)]], ["required": [.string(Key.include)]]],
      "$defs": .object(definitions),
    ])
  }

  private var extensionKey: String { Key.extensionPrefix + "…" }

  private var definitions: [JSONValue.Member] {
    let defaults = KeyTable.job.filter(\.isAllowedInDefaults)
    return [
      JSONValue.Member(
        "job",
        object(KeyTable.job, in: .job).adding(SchemaRules.job)
          .adding(["$ref": "#/$defs/action"])),
      JSONValue.Member(
        Scope.defaults.rawValue, Self.orEmpty(object(defaults, in: .defaults))),
      JSONValue.Member("scheduler", Self.orEmpty(object(KeyTable.scheduler, in: .file))),
    ] + KeyTable.parts.flatMap(definitions(of:)) + [
      JSONValue.Member("action", actions),
      JSONValue.Member("each", ["type": "string", "pattern": "\\{\\{ *each\\."]),
    ]
      + actionNames.map { JSONValue.Member("with.\($0)", parameters(of: $0)) }
  }

  private func definitions(of part: KeyTable.Part) -> [JSONValue.Member] {
    let scopes: [Scope] = part.differsByScope ? [.job, .defaults] : [.job]
    return scopes.map { scope in
      JSONValue.Member(
        part.definition(in: scope),
        object(part.entries, in: scope).adding(SchemaRules.rules(of: part)))
    }
  }

  private func object(_ entries: some Collection<KeyEntry>, in scope: Scope) -> JSONValue {
    [
      "type": "object", "properties": .object(members(of: entries, in: scope)),
      "additionalProperties": false,
    ]
  }

  private func members(
    of entries: some Collection<KeyEntry>, in scope: Scope
  ) -> [JSONValue.Member] {
    entries.map { entry in
      var schema = schema(of: entry.type, in: scope)
      if scope == .job, entry.mayBeNull { schema = Self.orNull(schema) }
      let words: JSONValue = ["description": .string(entry.summary)]
      return JSONValue.Member(entry.name, words.adding(schema))
    }
  }

  private func schema(of type: KeyType, in scope: Scope) -> JSONValue {
    switch type {
    case .action:
      // The schema cannot know the plugins.
      return [
        "anyOf": [
          ["enum": .array(actionNames.map { .string($0) })],
          ["pattern": "^[a-z][a-z0-9-]{0,63}$"],
        ]
      ]
    case .list(let item): return list(of: schema(of: item, in: scope))
    case .oneOrMore(let item):
      let one = schema(of: item, in: scope)
      return ["anyOf": [one, list(of: one)]]
    case .oneOf(let types): return ["anyOf": .array(types.map { schema(of: $0, in: scope) })]
    case .map(let rule, let item): return map(rule, item, in: scope)
    case .object(let entries): return reference(to: entries, in: scope)
    case .text, .path, .pattern, .anything: return type.scalarSchema ?? true
    // In a job with `for_each`, a reference can replace any scalar.
    default: return ["anyOf": [type.scalarSchema ?? true, ["$ref": "#/$defs/each"]]]
    }
  }

  private func list(of item: JSONValue) -> JSONValue {
    ["type": "array", "items": item, "minItems": 1]
  }

  private func map(_ rule: KeyNameRule, _ item: KeyType, in scope: Scope) -> JSONValue {
    var value = rule == .job ? ["$ref": "#/$defs/job"] : schema(of: item, in: scope)
    // In a job, null removes a variable of `defaults`.
    if scope == .job, rule == .environment, item == .text(allowsEmpty: true) {
      value = Self.orNull(value)
    }
    let schema: JSONValue = ["type": "object", "additionalProperties": value]
    return rule.namesSchema.map { schema.adding(["propertyNames": $0]) } ?? schema
  }

  private func reference(to entries: KeyRows, in scope: Scope) -> JSONValue {
    if let part = KeyTable.parts.first(where: { $0.entries == entries }) {
      return ["$ref": .string("#/$defs/" + part.definition(in: scope))]
    }
    return ["$ref": entries == KeyTable.scheduler ? "#/$defs/scheduler" : "#/$defs/defaults"]
  }

  /// A mapping that may also be empty: the keywords of mappings ignore null.
  private static func orEmpty(_ schema: JSONValue) -> JSONValue {
    guard case .object(let members) = schema else { return schema }
    return .object(
      members.map { member in
        member.name == "type" ? JSONValue.Member("type", ["object", "null"]) : member
      })
  }

  private static func orNull(_ schema: JSONValue) -> JSONValue {
    ["anyOf": [schema, ["type": "null"]]]
  }

  /// The conditions that `use` puts on `with`.
  private var actions: JSONValue {
    let conditions = actionNames.map { name -> JSONValue in
      let needsParameters = (catalogue.parameters(of: name) ?? []).contains(where: \.isRequired)
      let with: JSONValue = ["properties": ["with": ["$ref": .string("#/$defs/with.\(name)")]]]
      return [
        "if": ["properties": ["use": ["const": .string(name)]], "required": ["use"]],
        "then": needsParameters ? with.adding(["required": ["with"]]) : with,
      ]
    }
    return [
      "dependentRequired": ["with": ["use"]],
      "allOf": .array(conditions),
    ]
  }

  private func parameters(of action: String) -> JSONValue {
    let schemas = catalogue.parameters(of: action) ?? []
    let properties = schemas.map { schema in
      let words: JSONValue = ["description": .string(schema.summary)]
      return JSONValue.Member(
        schema.name, words.adding(self.schema(of: schema.kind.keyType, in: .file)))
    }
    let required = schemas.filter(\.isRequired).map { JSONValue.string($0.name) }
    let object: JSONValue = [
      "type": "object", "properties": .object(properties), "additionalProperties": false,
    ]
    return required.isEmpty ? object : object.adding(["required": .array(required)])
  }
}

extension KeyTable.Part {
  /// True if its keys may be null in a job but not in `defaults`.
  fileprivate var differsByScope: Bool { entries.contains(where: \.mayBeNull) }

  fileprivate func definition(in scope: SchemaBuilder.Scope) -> String {
    differsByScope && scope != .job ? "\(scope.rawValue).\(path)" : path
  }
}

extension KeyTable {
  /// The JSON Schema (draft 2020-12) of a jobs file that may use the actions of `catalogue`, with a
  /// line end after it.
  ///
  /// It covers the content of one file. takt alone checks what needs more than the file (users,
  /// groups, zones, files that are named) or arithmetic (a leeway below its interval). A version,
  /// takt's own, gives it a name (`$id`).
  package static func schema(catalogue: any ActionCatalogue, version: String? = nil) -> String {
    SchemaBuilder(catalogue: catalogue, version: version).schema.text + "\n"
  }
}
