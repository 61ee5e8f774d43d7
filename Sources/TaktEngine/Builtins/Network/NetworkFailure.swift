import TaktCore
import TaktTransfer

/// The failure of a transfer, in the words of the reference.
struct NetworkFailure: Error {
  var reason: String
  var message: String

  init(reason: String, message: String) {
    self.reason = reason
    self.message = message
  }

  init(_ failure: TransferFailure) {
    let (reason, says) = Self.reason(of: failure.cause)
    self.reason = reason
    let meaning = Self.reasons.first { $0.text == reason }?.meaning
    message = [meaning, says ? failure.detail : nil].compactMap { $0?.isEmpty == true ? nil : $0 }
      .joined(separator: ": ")
    if message.isEmpty { message = "the transfer failed: \(reason)" }
  }

  /// The reason, and true if the detail tells people more than its meaning.
  private static func reason(of cause: TransferFailure.Cause) -> (String, says: Bool) {
    switch cause {
    case .noLibrary: ("no_libcurl", true)
    case .noThread: ("no_thread", false)
    case .noDescriptors: ("no_descriptors", false)
    case .refused: ("refused", false)
    case .unreachable: ("unreachable", false)
    case .noAddress: ("dns", false)
    case .timeout: ("timeout", false)
    case .tls: ("tls", true)
    case .closed: ("closed", true)
    case .badProtocol: ("protocol", true)
    case .proxy: ("proxy", true)
    case .cancelled: (LongAttempt.cancelled, false)
    case .startTLS(let code): (Self.text("starttls", code), true)
    case .authentication(let code): (Self.text("auth", code), true)
    case .recipient(let code): (Self.text("recipient", code), true)
    case .mail(let code): (Self.text("smtp", code), true)
    case .system(let number): ("error(\(ErrorName.of(number)))", true)
    case .other: ("error", true)
    }
  }

  private static func text(_ stage: String, _ code: Int?) -> String {
    code.map { "\(stage)(\($0))" } ?? stage
  }

  static let reasons = [
    BuiltinReason("refused", "nothing listens on the port"),
    BuiltinReason("unreachable", "there is no route to the host"),
    BuiltinReason("dns", "the host name has no address"),
    BuiltinReason("timeout", "the request took longer than `timeout`"),
    BuiltinReason(
      "tls", "the server's certificate is not trusted, or TLS fails for another reason"),
    BuiltinReason("closed", "the server closed the connection too early"),
    BuiltinReason("protocol", "the server violates the protocol"),
    BuiltinReason("cancelled", "the attempt was stopped"),
    BuiltinReason("secret(NAME)", "the job has no secret with this name"),
    BuiltinReason(
      SecretDiversion.reason,
      "a trigger set a parameter that decides where the job's secrets would go"),
    BuiltinReason(
      "no_libcurl",
      "the library libcurl is not installed, or older than 7.68; run `apt-get install libcurl4`"),
    BuiltinReason(
      "no_descriptors",
      "no file descriptors are left; raise `ulimit -n`"),
    BuiltinReason(
      "no_thread",
      "the system cannot start another thread; raise `ulimit -u`"),
  ]
}
