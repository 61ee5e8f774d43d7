#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One message of a plugin, as it stands on its line. Which fields a type must have is for
/// `PluginConversation` to say.
struct PluginMessage: Decodable {
  /// Why a line is no message.
  enum Flaw: String, Error {
    case badJSON = "bad_json"
    case badMessage = "bad_message"
  }

  var type: String
  var run: String?
  var `protocol`: Int?
  var name: String?
  var version: String?
  var capabilities: [String]?
  var percent: Double?
  var message: String?
  var level: String?
  var value: Double?
  var unit: String?
  var status: String?
  var reason: String?
  var id: Int?
  var code: String?

  /// Reads a line.
  static func read(_ line: [UInt8], with decoder: JSONDecoder) throws(Flaw) -> PluginMessage {
    do {
      return try decoder.decode(PluginMessage.self, from: Data(line))
    } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
      throw .badMessage
    } catch DecodingError.valueNotFound {
      throw .badMessage
    } catch {
      throw .badJSON
    }
  }
}
