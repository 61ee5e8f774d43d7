import TaktCore

/// How a plugin can break the rules, or leave a run without an end.
enum PluginFault: String, CaseIterable, Hashable, Sendable {
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

  /// The reason of a run that ends by it.
  var result: AttemptResult { .failed("plugin(\(rawValue))") }

  var sentence: String {
    switch self {
    case .badJSON: "the plugin has written a line on descriptor 3 that is no message in JSON"
    case .badMessage: "the plugin has written a message with a field missing or wrong"
    case .lineTooLong:
      "the plugin has written a line of more than \(PluginLines.lineBytesMax) bytes on descriptor 3"
    case .flood: "the plugin has written too many messages"
    case .wrongRun: "the plugin has spoken of a run that it was never given"
    case .noHello: "the plugin has not said hello first"
    case .wrongProtocol: "the plugin speaks another version of the protocol"
    case .twoResults: "the plugin has said the result twice"
    case .noResult: "the plugin has ended without a result"
    case .closed: "the service has closed descriptor 3"
    case .noPong: "the service does not answer"
    case .died: "the service has ended"
    case .sha256: "the program is not the one that the manifest means"
    case .notStarted: "the service cannot be started"
    }
  }
}
