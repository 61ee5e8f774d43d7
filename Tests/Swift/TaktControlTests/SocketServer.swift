import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import TaktControl

/// A server on a Unix socket with arbitrary answers, for one client at a time.
final class SocketServer: Sendable {
  struct Failure: Error {}

  /// A connection whose request has come.
  struct Connection {
    fileprivate let descriptor: Int32

    /// Sends all of it; false if the other end has closed.
    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
      Loopback.sendAll(bytes, on: descriptor)
    }

    /// Waits until the other end closes.
    func waitForEnd() {
      var byte: UInt8 = 0
      while recv(descriptor, &byte, 1, 0) > 0 {}
    }
  }

  let path: String
  private let listener: Int32
  private let seen = Mutex<[String]>([])
  private let isStopped = Mutex(false)

  /// All requests, head and body, in order.
  var requests: [String] { seen.withLock { $0 } }

  /// - Parameter reading: the bytes of a request to read; nil for all.
  init(reading: Int? = nil, _ answer: @escaping @Sendable (Connection) -> Void) throws {
    let path = NSTemporaryDirectory() + "takt-\(UUID().uuidString.prefix(8)).sock"
    self.path = path
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, listen(listener, 1024) == 0 else { throw Failure() }
    Thread.detachNewThread { [weak self] in
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { break }
        if let request = Self.request(on: descriptor, max: reading) {
          self?.seen.withLock { $0.append(request) }
          answer(Connection(descriptor: descriptor))
        }
        close(descriptor)
      }
      close(listener)
    }
  }

  deinit {
    stop()
    unlink(path)
  }

  /// Stops listening; the socket's file stays.
  func stop() {
    isStopped.withLock { isStopped in
      // The thread that accepts then closes it.
      if !isStopped { shutdown(listener, Int32(SHUT_RDWR)) }
      isStopped = true
    }
  }

  func client(_ bounds: ControlClient.Bounds = ControlClient.Bounds()) -> ControlClient {
    ControlClient(socket: path, bounds: bounds)
  }

  private static func request(on descriptor: Int32, max: Int?) -> String? {
    var bytes: [UInt8] = []
    var needed: Int?
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < needed ?? .max {
      let count = recv(descriptor, &chunk, min(chunk.count, max ?? .max), 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
      if let max, bytes.count >= max { break }
      if needed == nil, let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        let field = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).lowercased()
          .split(separator: "content-length: ").dropFirst().first
        needed = head.upperBound + (field.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
