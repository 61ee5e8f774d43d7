import Dispatch
import Glibc
import Synchronization
import TaktCore
import TaktSystem
import TaktTransfer
import TaktTime

/// Reads files of certificates on threads of their own: a file system that does not answer keeps
/// the attempt no longer than its timeout.
enum CertificateFile {
  /// Certificates are a matter of kilobytes; the system's own are 200.
  private static let bytesMax = 16 * 1024 * 1024
  /// How many threads may wait for one file. Beyond that it is known not to answer.
  private static let readersMax = 2

  private static let readers = Mutex<[String: Int]>([:])

  private final class Reading: Sendable {
    let result = Mutex<Result<[UInt8], OpenFailure>?>(nil)
    let isOver = DispatchSemaphore(value: 0)
  }

  static func read(
    _ path: String, within timeout: Duration, _ cancellation: Cancellation
  ) throws(NetworkFailure) -> [UInt8] {
    guard enter(path) else { throw unanswered(path) }
    let reading = Reading()
    do throws(SystemError) {
      try Thread.start(name: "takt-ca-file") {
        let result = Result { () throws(OpenFailure) in try read(path) }
        reading.result.withLock { $0 = result }
        releaseReader(path)
        reading.isOver.signal()
      }
    } catch {
      releaseReader(path)
      throw NetworkFailure(TransferFailure(.noThread))
    }
    let bound = min(timeout, .seconds(365 * 86_400)).nanosecondsSaturated
    cancellation.whileWatched(by: { reading.isOver.signal() }) {
      _ = reading.isOver.wait(timeout: .now() + .nanoseconds(Int(bound)))
    }
    switch reading.result.withLock(\.self) {
    case .success(let bytes): return bytes
    case .failure(let error): throw unreadable(path, error)
    case nil where cancellation.isCancelled:
      throw NetworkFailure(TransferFailure(.cancelled))
    case nil: throw unanswered(path)
    }
  }

  /// Who can replace it decides whom takt takes for the server.
  private static func read(_ path: String) throws(OpenFailure) -> [UInt8] {
    let descriptor: Int32? =
      geteuid() == 0 ? try FileOpener(FileParties(own: 0)).open(path, as: .certificate) : nil
    defer { if let descriptor { close(descriptor) } }
    do throws(SystemError) {
      return if let descriptor {
        try SmallFile.read(descriptor, bytesMax: bytesMax)
      } else {
        try SmallFile.read(path, bytesMax: bytesMax)
      }
    } catch {
      throw .system(error.number)
    }
  }

  private static func enter(_ path: String) -> Bool {
    readers.withLock { readers in
      guard readers[path, default: 0] < readersMax else { return false }
      readers[path, default: 0] += 1
      return true
    }
  }

  private static func releaseReader(_ path: String) {
    readers.withLock { readers in
      let count = readers[path, default: 1] - 1
      readers[path] = count == 0 ? nil : count
    }
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
        message: "ca_file \(path) cannot be read: \(String(cString: strerror(number)))")
    case .distrusted(let problem):
      NetworkFailure(reason: "tls", message: "ca_file \(path): \(problem.advice)")
    }
  }
}
