import ArgumentParser
import TaktAPI

struct MCPContext: Sendable {
  var control: ControlArgument
  var cancellation: MCPCancellation
}

struct MCPFailure: Error {
  var message: String

  init(_ message: String) { self.message = message }
}

struct MCPTool: Sendable {
  enum Effect {
    case none
    /// - Parameters:
    ///   - isDestructive: true if it ends or deletes something.
    ///   - isIdempotent: true if a second call changes nothing more.
    case change(isDestructive: Bool, isIdempotent: Bool)
  }

  var makesChanges: Bool { if case .change = effect { true } else { false } }

  let name: String
  private let title: String
  private let about: String
  private let effect: Effect
  private let inputSchema: [UInt8]
  private let run: @Sendable ([UInt8], MCPContext) throws -> MCPResult

  init<Arguments: APIObject>(
    _ name: String, _ title: String, _ about: String, _ effect: Effect = .none,
    _ run: @escaping @Sendable (Arguments, MCPContext) throws -> MCPResult
  ) {
    self.name = name
    self.title = title
    self.about = about
    self.effect = effect
    var components = SchemaComponents()
    inputSchema = Arguments.schema(FieldRules(), "", in: &components)
    self.run = { text, context in try run(try MCPArguments.read(from: text), context) }
  }

  func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("name", name)
      json.member("description", about)
      json.key("inputSchema")
      json.value(raw: inputSchema)
      json.key("annotations")
      json.object { json in
        json.member("title", title)
        switch effect {
        case .none: json.member("readOnlyHint", true)
        case .change(let isDestructive, let isIdempotent):
          json.member("readOnlyHint", false)
          json.member("destructiveHint", isDestructive)
          json.member("idempotentHint", isIdempotent)
        }
        json.member("openWorldHint", false)
      }
    }
  }

  /// The result of a call, or its failure.
  func result(of arguments: [UInt8], _ context: MCPContext, isStructured: Bool) -> [UInt8] {
    let said = ConsoleSink()
    do {
      let result = try said.capture { try run(arguments, context) }
      return result.json(notes: said.errors, isStructured: isStructured)
    } catch let failure as MCPFailure {
      // An agent that calls several tools at once has only the text.
      return MCPResult.failure(said.errors + ["\(name): \(failure.message)"])
    } catch let error as ValidationError {
      // "--since takes an instant"
      return MCPResult.failure(["\(name): \(error.message.drop { $0 == "-" })"])
    } catch {
      return MCPResult.failure(said.errors.isEmpty ? ["\(error)"] : said.errors)
    }
  }
}

struct MCPResult {
  /// A JSON object on one line.
  private var object: [UInt8]
  /// The same for people and models; nil for the JSON itself.
  private var text: String?

  /// - Parameter object: written by the daemon or a command.
  init(_ object: [UInt8], text: String? = nil) throws(MCPFailure) {
    guard let piece = JSONPiece(checking: object), piece.isObject else {
      throw MCPFailure(
        "cannot read the daemon's answer; the daemon may have another version of takt")
    }
    // In JSON these occur only between values.
    self.object = object.map { $0 == 10 || $0 == 13 ? 32 : $0 }
    self.text = text
  }

  /// - Parameter notes: further sentences.
  func json(notes: [String], isStructured: Bool) -> [UInt8] {
    let text = text ?? String(decoding: object, as: UTF8.self)
    return Self.json([text] + notes, isStructured ? object : nil, isError: false)
  }

  static func failure(_ lines: [String]) -> [UInt8] {
    json([lines.joined(separator: "\n")], nil, isError: true)
  }

  private static func json(_ texts: [String], _ object: [UInt8]?, isError: Bool) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("content")
      json.array(texts) { json, text in
        json.object { json in
          json.member("type", "text")
          json.member("text", text)
        }
      }
      if let object {
        json.key("structuredContent")
        json.value(raw: object)
      }
      json.member("isError", isError)
    }
    return json.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ flag: Bool) {
    key(name)
    value(flag)
  }
}
