import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the host says, message by message.
enum HostMessages {
  /// Ends with standard input. What is no message is passed over: the host is to be believed.
  static func stream() -> AsyncStream<HostMessage> {
    AsyncStream { continuation in
      // A queue of its own: it waits for the host as long as the plugin lives.
      DispatchQueue(label: "takt.host").async {
        let decoder = JSONDecoder()
        while let line = readLine(strippingNewline: true) {
          if let message = try? decoder.decode(HostMessage.self, from: Data(line.utf8)) {
            continuation.yield(message)
          }
        }
        continuation.finish()
      }
    }
  }
}
