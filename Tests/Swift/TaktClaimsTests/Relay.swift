import Foundation
import Glibc
import Synchronization
import TestSupport

/// Passes bytes on between clients on 127.0.0.1 and a server's socket, until its connections are
/// cut in half: then both sides think that they have one, and hear nothing.
final class Relay: Sendable {
  let port: Int
  private let listener: Int32
  private let path: String
  private let generation = Atomic(0)

  /// - Parameter path: the server's socket.
  init(to path: String) throws {
    self.path = path
    (listener, port) = try Loopback.listen()
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = Self.connected(to: path)
        let born = generation.load(ordering: .sequentiallyConsistent)
        pass(from: client, to: server, born)
        pass(from: server, to: client, born)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    Glibc.close(listener)
  }

  /// Nothing passes any more on the connections that there are. New ones work.
  func cutInHalf() { generation.add(1, ordering: .sequentiallyConsistent) }

  /// The descriptors stay open, as those of a half-closed connection do.
  private func pass(from source: Int32, to target: Int32, _ born: Int) {
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(source, &bytes, bytes.count)
        guard count > 0 else { return }
        guard generation.load(ordering: .sequentiallyConsistent) == born else { continue }
        var sent = 0
        while sent < count {
          let part = send(target, Array(bytes[sent..<count]), count - sent, Int32(MSG_NOSIGNAL))
          guard part > 0 else { return }
          sent += part
        }
      }
    }
  }

  private static func connected(to path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    // The address of a local variable, for the time of the call.
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return descriptor
  }
}
