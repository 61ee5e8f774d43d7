import TaktAPI

/// An answer of a route for the description of the API.
struct RouteAnswer: Sendable {
  typealias Schema = @Sendable (inout SchemaComponents) -> [UInt8]

  let status: Int
  let sentence: String
  /// By type of content.
  private var content: [(type: String, schema: Schema)]

  private init(_ status: Int, _ sentence: String, _ type: String, _ schema: @escaping Schema) {
    self.status = status
    self.sentence = sentence
    content = [(type, schema)]
  }

  static func object<Object: APIObject>(
    _ type: Object.Type, _ sentence: String, status: Int = 200
  ) -> Self {
    Self(status, sentence, "application/json") { Object.schema(FieldRules(), "", in: &$0) }
  }

  /// Any JSON object.
  static func json(_ sentence: String) -> Self {
    Self(200, sentence, "application/json") { _ in Array(#"{"type":"object"}"#.utf8) }
  }

  static func text(_ sentence: String, _ type: String = "text/plain", status: Int = 200) -> Self {
    Self(status, sentence, type) { _ in Self.textSchema }
  }

  static func problem(_ status: Int, _ sentence: String) -> Self {
    Self(status, sentence, "application/problem+json") {
      API.Problem.schema(FieldRules(), "", in: &$0)
    }
  }

  /// Adds a text for clients that ask for one.
  func orText() -> Self {
    var answer = self
    answer.content.append(("text/plain", { _ in Self.textSchema }))
    return answer
  }

  /// Adds a line of JSON per object for clients that ask for that.
  func orLines<Object: APIObject>(of type: Object.Type) -> Self {
    var answer = self
    answer.content.append(
      ("application/x-ndjson", { Object.schema(FieldRules(), "", in: &$0) }))
    return answer
  }

  private static let textSchema = Array(#"{"type":"string"}"#.utf8)

  func write(to json: inout JSONWriter, _ components: inout SchemaComponents) {
    json.key(String(status))
    var types = JSONWriter()
    types.object { types in
      for (type, schema) in content {
        types.key(type)
        types.object { types in
          types.key("schema")
          types.value(raw: schema(&components))
        }
      }
    }
    json.object { json in
      json.member("description", sentence)
      json.key("content")
      json.value(raw: types.bytes)
    }
  }
}

extension RouteAnswer {
  static let invalid = problem(400, "The request is invalid")
  static let notFound = problem(404, "Not found")
  static let conflict = problem(409, "Not possible now; see the code")
  static let tooLarge = problem(413, "Too large")
  static let wrongFile = problem(422, "The jobs file has errors; they are in diagnostics")

  /// For routes that ask another machine of the cluster.
  static let cluster = [
    problem(404, "Not found, or the daemon is not in a cluster"),
    problem(409, "Several machines have this name, or not possible now; see the code"),
    problem(429, "Too many requests wait for other machines"),
    problem(503, "takt is stopping, or the machine does not answer"),
  ]
}

struct RouteBody: Sendable {
  let type: String
  let isRequired: Bool
  let schema: RouteAnswer.Schema

  static func object<Object: APIObject>(_ type: Object.Type, isRequired: Bool = false) -> Self {
    Self(type: "application/json", isRequired: isRequired) {
      Object.schema(FieldRules(), "", in: &$0)
    }
  }

  static let jobsFile = Self(type: "application/yaml", isRequired: true) { _ in
    Array(#"{"type":"string","description":"The text of a jobs file"}"#.utf8)
  }

  func write(to json: inout JSONWriter, _ components: inout SchemaComponents) {
    let schema = schema(&components)
    json.key("requestBody")
    json.object { json in
      json.key("required")
      json.value(isRequired)
      json.key("content")
      json.object { json in
        json.key(type)
        json.object { json in
          json.key("schema")
          json.value(raw: schema)
        }
      }
    }
  }
}
