import Glibc
import TaktCore
import TaktSystem
import TaktTransfer

/// The transfers of `http` and `mail`: their thread, and their trust.
enum Network {
  private static let engine = engine(thread: "takt-network")

  static func engine(thread name: String, activeMax: Int = 64) -> TransferEngine {
    TransferEngine(activeMax: activeMax) { body in
      try Thread.start(name: name) {
        // A thread starts with the nice value of the one that makes it, and this one serves all.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 0)
        body()
      }
    }
  }

  /// Blocks the thread.
  static func reply(
    to request: HTTPRequest, _ cancellation: Cancellation
  ) throws(NetworkFailure) -> HTTPReply {
    try wait(cancellation) { () throws(TransferFailure) in try engine.start(request) }
  }

  /// Passes a mail to its server. Blocks the thread.
  static func send(_ mail: MailRequest, _ cancellation: Cancellation) throws(NetworkFailure) {
    try wait(cancellation) { () throws(TransferFailure) in try engine.start(mail) }
  }

  private static func wait<Reply>(
    _ cancellation: Cancellation,
    _ start: () throws(TransferFailure) -> RunningTransfer<Reply>
  ) throws(NetworkFailure) -> Reply {
    let result: Result<Reply, TransferFailure>
    do throws(TransferFailure) {
      let running = try start()
      result = cancellation.whileWatched(by: { running.cancel() }) {
        Result { () throws(TransferFailure) in try running.wait() }
      }
    } catch {
      result = .failure(error)
    }
    return try result.mapError(NetworkFailure.init).get()
  }

  /// The certificates that a call trusts. Blocks the thread until `ca_file` is read, at most for
  /// the timeout.
  static func trust(
    _ call: BuiltinCall, within timeout: Duration
  ) throws(NetworkFailure) -> TransferTrust {
    if call.flag("insecure") { return .anything }
    guard let path = call.text("ca_file") else { return .system }
    return .certificates(
      try CertificateFile.read(path, within: timeout, call.cancellation), path: path)
  }
}

enum TLSParameters {
  static let schemas = [
    ParameterSchema(
      "ca_file", .path, reaches: .file, isRequired: false,
      summary: "a PEM file of certificates to trust instead of the system's"),
    ParameterSchema(
      "insecure", .boolean, reaches: .host, default: .boolean(false),
      summary: "whether to accept any certificate"),
  ]
}
