package struct SchemaComponents {
  private var schemas: [(name: String, schema: [UInt8])] = []

  package init() {}

  /// A reference to an object's schema, which is described if it is not yet.
  package mutating func reference<Object: APIObject>(
    to type: Object.Type, named name: String, _ sentence: String = ""
  ) -> [UInt8] {
    if !schemas.contains(where: { $0.name == name }) {
      let place = schemas.count
      // It may name itself.
      schemas.append((name, []))
      schemas[place].schema = ObjectSchema.text(of: type, type.summary, in: &self)
    }
    return Self.text { json in
      json.member("$ref", "#/components/schemas/\(name)")
      if !sentence.isEmpty { json.member("description", sentence) }
    }
  }

  package func write(to json: inout JSONWriter) {
    json.object { json in
      for (name, schema) in schemas.sorted(by: { $0.name < $1.name }) {
        json.key(name)
        json.value(raw: schema)
      }
    }
  }

  static func scalar(
    _ type: String, format: String? = nil, _ rules: FieldRules, _ sentence: String
  ) -> [UInt8] {
    text { json in
      json.member("type", rules.typeName ?? type)
      if rules.typeName == nil { json.member("format", rules.format ?? format) }
      rules.write(to: &json)
      if !sentence.isEmpty { json.member("description", sentence) }
    }
  }

  /// - Parameter key: the key for the schema of its elements, or of its values.
  static func collection<Value: APIValue>(
    _ type: String, of _: Value.Type, at key: String, _ rules: FieldRules, _ sentence: String,
    in components: inout SchemaComponents
  ) -> [UInt8] {
    let items = Value.schema(
      rules.items?.rules ?? FieldRules(), rules.items?.sentence ?? "", in: &components)
    return text { json in
      json.member("type", type)
      json.key(key)
      json.value(raw: items)
      rules.write(to: &json)
      if !sentence.isEmpty { json.member("description", sentence) }
    }
  }

  static func text(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(body)
    return json.bytes
  }
}

extension APIObject {
  package static func schema(
    _ rules: FieldRules, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    if let schemaName {
      return components.reference(to: Self.self, named: schemaName, sentence)
    }
    return ObjectSchema.text(of: Self.self, sentence.isEmpty ? summary : sentence, in: &components)
  }
}

private struct ObjectSchema: FieldVisitor {
  private struct Field {
    var name: String
    var schema: [UInt8]
    var isRequired: Bool
  }

  private enum Part {
    case fields([Field])
    case reference([UInt8])
  }

  private var parts: [Part] = []
  private var components: SchemaComponents

  static func text<Object: APIObject>(
    of type: Object.Type, _ sentence: String, in components: inout SchemaComponents
  ) -> [UInt8] {
    var schema = Self(components: components)
    var object = Object()
    object.list(in: &schema)
    components = schema.components
    return SchemaComponents.text { json in
      if schema.parts.count <= 1 {
        write(schema.parts.first ?? .fields([]), isClosed: type.isClosed, to: &json)
      } else {
        json.key("allOf")
        json.array(schema.parts) { json, part in
          if case .reference(let text) = part { return json.value(raw: text) }
          json.object { write(part, isClosed: type.isClosed, to: &$0) }
        }
      }
      if !type.schemaRest.isEmpty { json.members(raw: type.schemaRest) }
      if !sentence.isEmpty { json.member("description", sentence) }
    }
  }

  private init(components: SchemaComponents) { self.components = components }

  private static func write(_ part: Part, isClosed: Bool, to json: inout JSONWriter) {
    guard case .fields(let fields) = part else { return }
    json.member("type", "object")
    json.key("properties")
    json.object { json in
      for field in fields {
        json.key(field.name)
        json.value(raw: field.schema)
      }
    }
    json.key("required")
    json.array(fields.filter(\.isRequired)) { $0.value($1.name) }
    guard isClosed else { return }
    json.key("additionalProperties")
    json.value(false)
  }

  mutating func add<Value: APIValue>(
    _ name: String, _ value: inout Value, _ sentence: @autoclosure () -> String,
    _ rules: @autoclosure () -> FieldRules
  ) {
    let rules = rules()
    let field = Field(
      name: name, schema: Value.schema(rules, sentence(), in: &components),
      isRequired: rules.isRequired(Value.self))
    if case .fields(let fields) = parts.last {
      parts[parts.count - 1] = .fields(fields + [field])
    } else {
      parts.append(.fields([field]))
    }
  }

  mutating func members<Object: APIObject>(of object: inout Object) {
    guard let name = Object.schemaName else { return object.list(in: &self) }
    parts.append(.reference(components.reference(to: Object.self, named: name)))
  }
}
