import Synchronization
import TaktAPI
import TaktCore

/// The description of the API, made from its routes and objects (OpenAPI 3.1). Safe from any
/// thread.
final class OpenAPI: Sendable {
  struct Operation: Sendable {
    var method: String
    var path: String
    var needs: Access
    var about: RouteAbout
  }

  private static let words = """
    Query and control a running daemon. The same routes answer on the Unix socket in the state \
    folder, where no token is needed, and on TCP if scheduler.http is set, where each request needs \
    a login: the token as `Authorization: Bearer TOKEN` or as the password of Basic, or a user whom \
    the proxy of scheduler.http.proxy names. x-takt-right is the right that a request needs: none, \
    calendar, read, operate, all, or socket for what only a client of the Unix socket may do.
    """

  private let operations: [Operation]
  /// The path prefix of all operations.
  private let server: String
  private let made = Mutex<[UInt8]?>(nil)

  init(_ operations: [Operation], server: String) {
    self.operations = operations
    self.server = server
  }

  /// Made at the first request.
  var text: [UInt8] {
    made.withLock { made in
      if let made { return made }
      let text = write()
      made = text
      return text
    }
  }

  private func write() -> [UInt8] {
    var components = SchemaComponents()
    var paths = JSONWriter()
    paths.object { paths in
      var known: Set<String> = []
      for path in operations.map(\.path) where known.insert(path).inserted {
        paths.key(path)
        paths.object { paths in
          Self.write(parametersOf: path, to: &paths)
          for operation in operations where operation.path == path {
            Self.write(operation, to: &paths, &components)
          }
        }
      }
    }
    var json = JSONWriter()
    json.object { json in
      json.member("openapi", "3.1.0")
      json.key("info")
      json.object { json in
        json.member("title", "takt")
        json.member("version", "1")
        json.member("description", Self.words)
        json.key("license")
        json.object { json in
          json.member("name", "MIT")
          json.member("identifier", "MIT")
        }
      }
      json.key("servers")
      json.array { $0.object { $0.member("url", server) } }
      json.key("security")
      json.value(raw: Array(#"[{"token":[]}]"#.utf8))
      json.key("paths")
      json.value(raw: paths.bytes)
      json.key("components")
      json.object { json in
        json.key("securitySchemes")
        json.value(raw: Array(#"{"token":{"type":"http","scheme":"bearer"}}"#.utf8))
        json.key("schemas")
        components.write(to: &json)
      }
    }
    return json.bytes
  }

  /// Writes the parts of a path in braces.
  private static func write(parametersOf path: String, to json: inout JSONWriter) {
    let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { $0.dropFirst().dropLast() }
    guard !names.isEmpty else { return }
    json.key("parameters")
    json.array(names) { json, name in
      json.object { json in
        json.member("name", String(name))
        json.member("in", "path")
        json.key("required")
        json.value(true)
        json.key("schema")
        json.value(raw: pathSchema(of: String(name)))
      }
    }
  }

  private static func pathSchema(of name: String) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      switch name {
      case "job":
        json.member("type", "string")
        json.member("description", "The job's name")
        json.member("pattern", JobName.pattern)
      case "run":
        json.member("type", "integer")
        json.member("format", "int64")
        json.member("description", "The run's number")
        json.member("minimum", 1)
      default:
        json.member("type", "string")
        json.member("description", "The \(name)'s name, or member:NUMBER")
        json.member("maxLength", 200)
      }
    }
    return json.bytes
  }

  private static func write(
    _ operation: Operation, to json: inout JSONWriter, _ components: inout SchemaComponents
  ) {
    let about = operation.about
    json.key(operation.method.lowercased())
    json.object { json in
      json.member("operationId", about.operation)
      json.member("summary", about.sentence)
      json.member("description", about.details)
      json.member("x-takt-right", operation.needs.word)
      if operation.needs == .none {
        json.key("security")
        json.array { _ in }
      }
      if !about.parameters.isEmpty {
        json.key("parameters")
        json.array(about.parameters) { $1.write(to: &$0) }
      }
      about.body?.write(to: &json, &components)
      json.key("responses")
      json.object { json in
        for answer in about.allAnswers(needing: operation.needs) {
          answer.write(to: &json, &components)
        }
      }
    }
  }
}
