import Glibc
import TaktSystem
import TaktTransfer

/// Reads certificate files on threads of their own: a file system that does not answer delays the
/// attempt no longer than its timeout.
enum CertificateFile {
  /// Certificates take kilobytes; the system's own 200.
  private static let bytesMax = 16 * 1024 * 1024
  private static let patience = Patience(thread: "takt-ca-file", stuckMax: 32, atPlace: 2)

  static func read(
    _ path: String, within timeout: Duration, _ cancellation: Cancellation
  ) throws(NetworkFailure) -> [UInt8] {
    let call: PatientCall<Result<[UInt8], OpenFailure>>
    do throws(NoAnswer) {
      call = try patience.begin(at: path) { Result { () throws(OpenFailure) in try read(path) } }
    } catch {
      guard case .noThread = error else { throw unanswered(path) }
      throw NetworkFailure(TransferFailure(.noThread))
    }
    let result = cancellation.whileWatched(by: { call.stopWaiting() }) {
      call.value(within: timeout)
    }
    switch result {
    case .success(let bytes): return bytes
    case .failure(let error): throw unreadable(path, error)
    case nil where cancellation.isCancelled:
      throw NetworkFailure(TransferFailure(.cancelled))
    case nil: throw unanswered(path)
    }
  }

  /// A user who can replace the file decides which server takt trusts.
  private static func read(_ path: String) throws(OpenFailure) -> [UInt8] {
    try TrustedFile.read(
      path, bytesMax: bytesMax, as: .certificate, for: FileParties(own: geteuid())
    ).bytes
  }

  private static func unanswered(_ path: String) -> NetworkFailure {
    NetworkFailure(
      reason: "timeout",
      message: "the file system of ca_file \(path) does not respond; check for a hung mount")
  }

  private static func unreadable(_ path: String, _ error: OpenFailure) -> NetworkFailure {
    switch error {
    case .system(EMFILE), .system(ENFILE): NetworkFailure(TransferFailure(.noDescriptors))
    case .system(let number):
      NetworkFailure(
        reason: "tls",
        message: "ca_file \(path) cannot be read: \(SystemError.text(number))")
    case .distrusted(let problem):
      NetworkFailure(reason: "tls", message: "ca_file \(path): \(problem.advice)")
    }
  }
}
