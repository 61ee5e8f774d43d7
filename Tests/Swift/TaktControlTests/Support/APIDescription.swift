import Foundation
import TestSupport

/// The description of the API, and its verdict on an answer.
struct APIDescription {
  typealias Object = [String: Any]

  private let document: Object
  /// The methods of each path, in lower case.
  let paths: [String: [String]]

  /// The description that is kept for readers; a test compares it with that of a daemon.
  static let file = Repository.url("docs/schemas/openapi.json")

  init() throws {
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.file))
    document = json as? Object ?? [:]
    paths = (document["paths"] as? [String: Object] ?? [:]).mapValues { methods in
      methods.keys.filter { ["get", "post"].contains($0) }
    }
  }

  /// The differences between an answer and its description.
  func problems(of reply: Reply, to method: String, _ target: String) -> [String] {
    let parts = target.split(separator: "?")[0].split(separator: "/")
    let path = paths.keys.first { path in
      let names = path.split(separator: "/")
      return names.count == parts.count
        && zip(names, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
    let methods = (document["paths"] as? [String: Object])?[path ?? ""]
    let operation = methods?[method.lowercased()] as? Object
    let responses = operation?["responses"] as? [String: Object]
    guard let response = responses?[String(reply.status)] else {
      return ["no answer \(reply.status) is described"]
    }
    let type = reply.headers["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
    let content = response["content"] as? [String: Object]
    guard let media = content?[type] else { return ["no content of \(type) is described"] }
    guard type.hasSuffix("json"), let schema = media["schema"] as? Object else { return [] }
    if type.hasSuffix("ndjson") {
      return reply.text.split(separator: "\n").flatMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8)))
          .map { problems(of: $0, schema, at: "") } ?? ["a line is no JSON"]
      }
    }
    guard let value = try? JSONSerialization.jsonObject(with: Data(reply.bytes)) else {
      return ["it is no JSON"]
    }
    return problems(of: value, schema, at: "")
  }

  private func problems(of value: Any, _ schema: Object, at place: String) -> [String] {
    let schema = resolved(schema)
    if let parts = schema["allOf"] as? [Object] {
      return problems(of: value, merged(parts), at: place)
    }
    var found: [String] = []
    if let type = schema["type"] as? String, !Self.has(value, type) {
      return found + ["\(place) is no \(type)"]
    }
    if let words = schema["enum"] as? [String], !words.contains(value as? String ?? "") {
      found.append("\(place) is none of \(words)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      found.append("\(place) is not like \(pattern)")
    }
    if let number = value as? Double, let least = schema["minimum"] as? Double, number < least {
      found.append("\(place) is less than \(least)")
    }
    if let items = schema["items"] as? Object {
      for (index, item) in (value as? [Any] ?? []).enumerated() {
        found += problems(of: item, items, at: "\(place)[\(index)]")
      }
    }
    return found + members(of: value as? Object ?? [:], schema, at: place)
  }

  /// One schema for several that apply together.
  private func merged(_ parts: [Object]) -> Object {
    parts.reduce(into: [:]) { whole, part in
      let part = resolved(part)
      let members = part["properties"] as? Object ?? [:]
      whole["properties"] = (whole["properties"] as? Object ?? [:]).merging(members) { $1 }
      whole["required"] =
        (whole["required"] as? [String] ?? []) + (part["required"] as? [String] ?? [])
      whole["type"] = "object"
    }
  }

  /// A schema, or the one that it refers to.
  private func resolved(_ schema: Object) -> Object {
    guard let name = (schema["$ref"] as? String)?.split(separator: "/").last else { return schema }
    let schemas = (document["components"] as? Object)?["schemas"] as? [String: Object]
    return schemas?[String(name)] ?? [:]
  }

  private func members(of value: Object, _ schema: Object, at place: String) -> [String] {
    let known = schema["properties"] as? [String: Object] ?? [:]
    var found = (schema["required"] as? [String] ?? []).filter { value[$0] == nil }
      .map { "\(place).\($0) is missing" }
    for (key, member) in value {
      if let schema = known[key] ?? schema["additionalProperties"] as? Object {
        found += problems(of: member, schema, at: "\(place).\(key)")
      } else if !known.isEmpty {
        found.append("\(place).\(key) is not described")
      }
    }
    return found
  }

  private static func has(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "object": value is Object
    case "array": value is [Any]
    case "string": value is String
    case "boolean": value is Bool
    case "integer": (value as? NSNumber).map { Double($0.int64Value) == $0.doubleValue } ?? false
    case "number": value is NSNumber
    default: false
    }
  }
}
