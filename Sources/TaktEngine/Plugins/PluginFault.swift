import TaktCore

/// The ways in which a plugin can break the rules, or leave a run without an end.
package enum PluginFault: String, CaseIterable, Hashable, Sendable {
  case badJSON = "bad_json"
  case badMessage = "bad_message"
  case lineTooLong = "line_too_long"
  case flood
  case wrongRun = "wrong_run"
  case noHello = "no_hello"
  case wrongProtocol = "wrong_protocol"
  case twoResults = "two_results"
  case noResult = "no_result"
  case closed
  case noPong = "no_pong"
  case died
  case sha256
  case notStarted = "not_started"

  /// The result of a run that ends by it.
  var result: AttemptResult { .failed("plugin(\(rawValue))") }

  var sentence: String {
    switch self {
    case .badJSON: "the plugin wrote a line on descriptor 3 that is not a JSON message"
    case .badMessage: "the plugin sent a message with a missing or invalid field"
    case .lineTooLong:
      "the plugin wrote a line of more than \(PluginLines.lineBytesMax) bytes on descriptor 3"
    case .flood: "the plugin sent too many messages"
    case .wrongRun: "the plugin named a run that takt did not give it"
    case .noHello: "the plugin did not send hello first"
    case .wrongProtocol: "the plugin uses another version of the protocol"
    case .twoResults: "the plugin sent two results"
    case .noResult: "the plugin ended without a result"
    case .closed: "the service closed descriptor 3"
    case .noPong: "the service does not respond"
    case .died: "the service ended"
    case .sha256: "the program does not match the manifest's sha256"
    case .notStarted: "the service cannot be started"
    }
  }
}
