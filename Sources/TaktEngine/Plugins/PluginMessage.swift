import FoundationEssentials
import TaktCore

/// One message of a plugin, decoded from its line. `PluginConversation` checks the fields that its
/// type must have.
struct PluginMessage: Decodable {
  /// The reason why a line is no message.
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

/// The result of a run, as the plugin states it.
package struct PluginResult: Hashable, Sendable {
  var isOK: Bool
  /// A short word for machines; nil without one.
  var reason: String?
  /// A sentence for people; nil without one.
  var message: String?

  init?(_ message: PluginMessage) {
    switch message.status {
    case "ok": isOK = true
    case "failed": isOK = false
    default: return nil
    }
    if let reason = message.reason, !Self.isReason(reason) { return nil }
    reason = message.reason
    self.message = message.message
  }

  private static func isReason(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  /// The result for the attempt; `exit` is that of the process, if it has ended.
  func attemptResult(exit: AttemptResult?) -> AttemptResult {
    isOK ? exit ?? .done : .failed("plugin(\(reason ?? "failed"))")
  }
}
