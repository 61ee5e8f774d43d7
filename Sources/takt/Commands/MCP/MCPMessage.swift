import TaktAPI

/// A request's id: a text or a number, as JSON.
struct MCPRequestID: Hashable, Sendable {
  let json: [UInt8]

  /// For an error about a message without a readable id.
  static let null = MCPRequestID(json: Array("null".utf8))

  private init(json: [UInt8]) { self.json = json }

  /// Nil for a value that is neither text nor number.
  init?(_ value: JSONPiece) {
    if let text = value.string {
      // The same id may be escaped in different ways.
      var writer = JSONWriter()
      writer.value(text)
      json = writer.bytes
    } else if value.isNumber {
      json = Array(value.text)
    } else {
      return nil
    }
  }
}

enum MCPMessage {
  case request(MCPRequestID, method: String, params: JSONPiece?)
  case notification(method: String, params: JSONPiece?)
  /// Ignored, since takt makes no requests.
  case response
  case invalid(MCPRequestID, String)

  init(_ value: JSONPiece) {
    guard value.isObject else {
      self = .invalid(.null, "a message must be a JSON object")
      return
    }
    let given = value["id"]
    let id = given.flatMap { MCPRequestID($0) }
    guard value["jsonrpc"]?.string == "2.0" else {
      self = .invalid(id ?? .null, "'jsonrpc' must be \"2.0\"")
      return
    }
    guard let method = value["method"] else {
      let isResponse = value["result"] != nil || value["error"] != nil
      self = isResponse ? .response : .invalid(id ?? .null, "'method' is missing")
      return
    }
    guard let name = method.string else {
      self = .invalid(id ?? .null, "'method' must be a string")
      return
    }
    switch (given, id) {
    case (nil, _): self = .notification(method: name, params: value.given("params"))
    case (_, let id?): self = .request(id, method: name, params: value.given("params"))
    case (_, nil): self = .invalid(.null, "'id' must be a string or a number")
    }
  }
}

struct MCPError {
  enum Code: Int {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
  }

  var code: Code
  var message: String

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

enum MCPAnswer {
  static func result(_ result: [UInt8], to id: MCPRequestID) -> [UInt8] {
    answer(to: id, "result", result)
  }

  static func error(_ error: MCPError, to id: MCPRequestID) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("code", error.code.rawValue)
      json.member("message", error.message)
    }
    return answer(to: id, "error", json.bytes)
  }

  /// All answers to a batch; nil if there are none.
  static func batch(_ answers: [[UInt8]]) -> [UInt8]? {
    guard !answers.isEmpty else { return nil }
    var json = JSONWriter()
    json.array(answers) { $0.value(raw: $1) }
    return json.bytes
  }

  private static func answer(to id: MCPRequestID, _ name: String, _ value: [UInt8]) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.member("jsonrpc", "2.0")
      json.key("id")
      json.value(raw: id.json)
      json.key(name)
      json.value(raw: value)
    }
    return json.bytes
  }
}

extension JSONPiece {
  /// The value of a member; nil also for one that is null.
  func given(_ name: String) -> JSONPiece? {
    self[name].flatMap { $0.text.elementsEqual("null".utf8) ? nil : $0 }
  }

  var isObject: Bool { first == UInt8(ascii: "{") }
  var isArray: Bool { first == UInt8(ascii: "[") }

  var isNumber: Bool {
    first.map { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      ?? false
  }

  var string: String? {
    guard first == UInt8(ascii: "\"") else { return nil }
    return try? APIReader.read(String.self, from: Array(text))
  }

  private var first: UInt8? { text.first { $0 != 32 && !(9...13).contains($0) } }
}
