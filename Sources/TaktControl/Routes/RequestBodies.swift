import FoundationEssentials
import Hummingbird
import NIOCore
import TaktAPI
import TaktTime

extension API.Suspend {
  /// The end of the suspension; nil for an unlimited one.
  func end(at now: WallInstant) throws -> WallInstant? {
    switch (self.for, until) {
    case (nil, nil): return nil
    case (let text?, nil):
      guard let duration = try? DurationText.parse(text), duration > .zero,
        duration < .seconds(100 * 365 * 86_400)
      else {
        throw Problem(.badRequest, "'for' must be a duration from 1ms to 36499d, such as 90m or 2d")
      }
      return now + duration
    case (nil, let text?): return try Query.instant(text, of: "until")
    case (_?, _?): throw Problem(.badRequest, "'for' and 'until' cannot be combined")
    }
  }
}

extension Request {
  func bytes(upTo max: Int) async throws -> [UInt8] {
    do {
      return Array(buffer: try await body.collect(upTo: max))
    } catch is NIOTooManyBytesError {
      throw Problem(.tooLarge, "the body is larger than \(max) bytes")
    }
  }

  /// Refuses a body with anything in it but an empty object, and leaves an empty one.
  mutating func requireNoKeys() async throws {
    let bytes = try await bytes(upTo: ControlContext.commandBytesMax)
    body = RequestBody(buffer: ByteBuffer())
    guard !bytes.isEmpty else { return }
    guard let found = try? JSONDecoder().decode(ObjectKeys.self, from: Data(bytes)) else {
      throw Problem(.badRequest, "the body must be a JSON object")
    }
    if let key = found.keys.min() {
      throw Problem(
        .badRequest, "unknown key '\(key.prefix(50))'", detail: "This request has no keys.")
    }
  }

  /// The body as a value of this type; an empty body has none of its keys.
  func decodeBody<Body: APIObject>(_ type: Body.Type) async throws -> Body {
    let keys = type.keys
    let bytes = try await bytes(upTo: ControlContext.commandBytesMax)
    let text = bytes.isEmpty ? Array("{}".utf8) : bytes
    // The keys are checked first, so that misspelled ones are not ignored.
    guard let found = try? JSONDecoder().decode(ObjectKeys.self, from: Data(text)) else {
      throw Problem(.badRequest, "the body must be a JSON object")
    }
    if let key = JSONKeys.duplicate(in: bytes) {
      throw Problem(.badRequest, "the key '\(key.prefix(50))' is in one object twice")
    }
    if let key = found.keys.sorted().first(where: { !keys.contains($0) }) {
      throw Problem(
        .badRequest, "unknown key '\(key.prefix(50))'",
        detail: "The keys are \(keys.sorted().joined(separator: ", ")).")
    }
    do {
      return try APIReader.read(type, from: text)
    } catch {
      throw Problem(
        .badRequest, "a value in the body has the wrong type")
    }
  }
}

/// The keys of a JSON object, with values of any kind.
private struct ObjectKeys: Decodable {
  let keys: [String]

  init(from decoder: any Decoder) throws {
    keys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
  }
}
