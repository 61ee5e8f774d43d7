import Hummingbird
import TaktAPI
import TaktTime

/// The query of a request, parsed strictly: misspelled names are refused, not ignored.
struct Query {
  private var values: [String: String] = [:]
  /// The names in the route's description.
  private var names: [String] = []

  /// For a route without a query.
  init() {}

  init(_ request: Request, _ parameters: [ParameterAbout]) throws {
    try self.init(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, parameters)
  }

  init(_ given: [(name: String, value: String)], _ parameters: [ParameterAbout]) throws {
    names = parameters.filter { $0.place == .query }.map(\.name)
    for (name, value) in given {
      guard names.contains(name) else {
        throw Problem(
          .badRequest, "unknown parameter '\(name.prefix(50))'",
          detail: names.isEmpty
            ? "This route has none." : "The parameters are \(names.joined(separator: ", ")).")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Problem(.badRequest, "duplicate parameter '\(name)'")
      }
    }
  }

  /// - Throws: a `Problem` for an invalid value; one with the status 500 for a parameter that the
  ///   route's description does not name.
  subscript<Value>(parameter: Parameter<Value>) -> Value {
    get throws {
      let name = parameter.about.name
      guard names.contains(name) else {
        throw Problem(.internalError, "the parameter '\(name)' is not described")
      }
      return try parameter.read(values[name])
    }
  }

  static func instant(_ text: String, of name: String) throws -> WallInstant {
    guard let instant = WallInstant(apiText: text) else {
      throw Problem(
        .badRequest, "'\(name)' takes an instant with an offset, such as 2026-12-24T18:00:00Z",
        detail: "From 1970 to 2200.")
    }
    return instant
  }
}
